//! NVRTC, NVIDIA's run-time compiler for CUDA C++, called directly.
//!
//! cudarc has bindings too. They are not used for compiling, because they panic where the library is missing, do not
//! know the file name of NVRTC 13, and cannot give machine code. This way the options are plain text as well.

use super::nvrtc_search::{self, NvrtcMissing};
use crate::error::loading_text;
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int};

/// A loaded NVRTC; it stays loaded until the process ends.
#[derive(Debug)]
pub struct Nvrtc {
    library: &'static Library,
    version: (c_int, c_int),
    /// Capabilities that it compiles for, 10 × major + minor, ascending.
    architectures: Vec<c_int>,
}

/// What to compile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// PTX text, which the driver compiles on for its device.
    Ptx,
    /// Machine code for one compute capability.
    Cubin,
}

/// Why a text gave no code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The text has errors; this is the compiler's log.
    #[error("{0}")]
    Log(String),
    /// A call failed otherwise.
    #[error("NVRTC's {call} failed: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// NVRTC's name of the error.
        reason: String,
    },
    /// No code of this kind for this device.
    #[error("NVRTC {0} makes no machine code for compute capability {1}")]
    Architecture(String, i32),
}

/// nvrtcProgram, an opaque pointer.
type Program = *mut std::ffi::c_void;
type Status = c_int;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> Status;
type BytesOf = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;

const SUCCESS: Status = 0;
/// NVRTC_ERROR_COMPILATION: the log says why.
const COMPILATION_FAILED: Status = 6;

impl Nvrtc {
    /// The first NVRTC found, see [`NvrtcMissing`] for the places.
    ///
    /// # Errors
    /// [`NvrtcMissing`], which says how to get it.
    pub fn find() -> Result<Self, NvrtcMissing> {
        let library = nvrtc_search::find()?;
        Self::of(library).map_err(|error| NvrtcMissing::new(vec![error.to_string()]))
    }

    fn of(library: Library) -> Result<Self, CompileError> {
        type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
        type Count = unsafe extern "C" fn(*mut c_int) -> Status;
        let mut nvrtc = Self { library: Box::leak(Box::new(library)), version: (0, 0), architectures: Vec::new() };
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the types are those of nvrtc.h since NVRTC 11.2, and the pointers are to live integers; the vector
        // has room for as many integers as the library said that it writes.
        unsafe {
            nvrtc.check("nvrtcVersion", nvrtc.get::<Version>("nvrtcVersion")?(&mut major, &mut minor))?;
            nvrtc.check("nvrtcGetNumSupportedArchs", nvrtc.get::<Count>("nvrtcGetNumSupportedArchs")?(&mut count))?;
            let mut list = vec![0; usize::try_from(count).unwrap_or(0)];
            nvrtc.check("nvrtcGetSupportedArchs", nvrtc.get::<Count>("nvrtcGetSupportedArchs")?(list.as_mut_ptr()))?;
            nvrtc.architectures = list;
        }
        nvrtc.version = (major, minor);
        Ok(nvrtc)
    }

    /// `NVRTC 12.9`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles `text` for a device of capability `architecture` (10 × major + minor). PTX is made for the newest
    /// architecture up to that one which this NVRTC knows. `name` is what error lines and line tables call the file.
    ///
    /// # Errors
    /// [`CompileError`], with the compiler's log where the text is wrong.
    pub fn compile(
        &self,
        name: &str,
        text: &str,
        architecture: i32,
        product: Product,
    ) -> Result<Vec<u8>, CompileError> {
        let options = self.options(architecture, product)?;
        let program = self.create(name, text)?;
        let result = self.compile_program(program, &options, product);
        // SAFETY: the program was created by this library and is not used after this call, which also clears it.
        unsafe {
            type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
            let mut program = program;
            self.check("nvrtcDestroyProgram", self.get::<Destroy>("nvrtcDestroyProgram")?(&mut program))?;
        }
        result
    }

    /// Line tables let profilers, and the emulator's faults, name lines of the source.
    fn options(&self, architecture: i32, product: Product) -> Result<Vec<String>, CompileError> {
        let known = match product {
            Product::Ptx => self.architectures.iter().copied().filter(|&known| known <= architecture).max(),
            Product::Cubin => self.architectures.iter().copied().find(|&known| known == architecture),
        };
        let (major, minor) = self.version;
        let known = known.ok_or_else(|| CompileError::Architecture(format!("{major}.{minor}"), architecture))?;
        let kind = if product == Product::Ptx { "compute" } else { "sm" };
        Ok(vec![format!("--gpu-architecture={kind}_{known}"), "--generate-line-info".into(), "--std=c++17".into()])
    }

    fn create(&self, name: &str, text: &str) -> Result<Program, CompileError> {
        let zero_byte = |_| CompileError::Log(format!("{name}: the text contains a zero byte"));
        let (name_c, text_c) = (CString::new(name).map_err(zero_byte)?, CString::new(text).map_err(zero_byte)?);
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: the type is that of nvrtc.h; the strings end with a zero and live through the call, which copies
        // them; a header count of 0 allows null for both lists.
        let status = unsafe {
            self.get::<Create>("nvrtcCreateProgram")?(
                &mut program,
                text_c.as_ptr(),
                name_c.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        self.check("nvrtcCreateProgram", status)?;
        Ok(program)
    }

    fn compile_program(&self, program: Program, options: &[String], product: Product) -> Result<Vec<u8>, CompileError> {
        let texts: Vec<CString> = options.iter().filter_map(|option| CString::new(option.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: the program is alive, and `pointers` holds `count` strings that live through the call.
        let status = unsafe { self.get::<Compile>("nvrtcCompileProgram")?(program, count, pointers.as_ptr()) };
        if status == COMPILATION_FAILED {
            let log = self.bytes(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
            return Err(CompileError::Log(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned()));
        }
        self.check("nvrtcCompileProgram", status)?;
        match product {
            Product::Ptx => self.bytes(program, "nvrtcGetPTXSize", "nvrtcGetPTX"),
            Product::Cubin => self.bytes(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
        }
    }

    fn bytes(&self, program: Program, size_of: &'static str, get: &'static str) -> Result<Vec<u8>, CompileError> {
        let mut size = 0;
        // SAFETY: the types are those of nvrtc.h, and the program is alive; the buffer has the size that the library
        // said it writes.
        unsafe {
            self.check(size_of, self.get::<SizeOf>(size_of)?(program, &mut size))?;
            let mut bytes = vec![0_u8; size];
            self.check(get, self.get::<BytesOf>(get)?(program, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }

    /// A function of the library.
    ///
    /// # Safety
    /// `F` must be the function's type in nvrtc.h.
    unsafe fn get<F>(&self, name: &'static str) -> Result<Symbol<'static, F>, CompileError> {
        // SAFETY: the caller gives the function's type.
        unsafe { self.library.get::<F>(name.as_bytes()) }
            .map_err(|error| CompileError::Call { call: name, reason: loading_text(&error) })
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), CompileError> {
        type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: the type is that of nvrtc.h; the function gives a static string for every value.
        let reason = unsafe { CStr::from_ptr(self.get::<ErrorString>("nvrtcGetErrorString")?(status)) };
        Err(CompileError::Call { call, reason: reason.to_string_lossy().into_owned() })
    }
}
