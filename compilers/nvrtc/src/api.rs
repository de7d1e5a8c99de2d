//! The functions of nvrtc.h, called with their requirements met.

use crate::CompileError;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// nvrtcProgram, an opaque pointer.
type Program = *mut c_void;
type Status = c_int;
type Strings = *const *const c_char;
type Create = unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, Strings, Strings) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, Strings) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> Status;
type BytesOf = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Architectures = unsafe extern "C" fn(*mut c_int) -> Status;

const SUCCESS: Status = 0;
/// NVRTC_ERROR_COMPILATION, for which the log has the errors.
const COMPILATION_FAILED: Status = 6;

/// An output of a program.
#[derive(Clone, Copy)]
pub(crate) enum Output {
    Ptx,
    Cubin,
    Log,
}

impl Output {
    /// Returns the names of the functions for the size and for the bytes of the output.
    fn functions(self) -> [&'static str; 2] {
        match self {
            Self::Ptx => ["nvrtcGetPTXSize", "nvrtcGetPTX"],
            Self::Cubin => ["nvrtcGetCUBINSize", "nvrtcGetCUBIN"],
            Self::Log => ["nvrtcGetProgramLogSize", "nvrtcGetProgramLog"],
        }
    }
}

/// The functions of a library that is never unloaded.
#[derive(Debug)]
pub(crate) struct Api {
    library: &'static Library,
    create: Create,
    compile: Compile,
    destroy: Destroy,
    error_string: ErrorString,
}

impl Api {
    /// Looks up the functions of a library.
    ///
    /// # Errors
    /// Returns an error if the library lacks a function.
    pub fn new(library: &'static Library) -> Result<Self, CompileError> {
        // SAFETY: each field's type is that of the function in nvrtc.h, unchanged since NVRTC 8.
        unsafe {
            Ok(Self {
                create: symbol(library, "nvrtcCreateProgram")?,
                compile: symbol(library, "nvrtcCompileProgram")?,
                destroy: symbol(library, "nvrtcDestroyProgram")?,
                error_string: symbol(library, "nvrtcGetErrorString")?,
                library,
            })
        }
    }

    /// Returns the version: (12, 9) for 12.9.
    pub fn version(&self) -> Result<(i32, i32), CompileError> {
        let mut major = 0;
        let mut minor = 0;
        // SAFETY: the type is that of nvrtc.h, and the pointers are to live integers.
        let status = unsafe { symbol::<Version>(self.library, "nvrtcVersion")?(&mut major, &mut minor) };
        self.check("nvrtcVersion", status)?;
        Ok((major, minor))
    }

    /// Returns the compute capabilities for which the library compiles, 10 × major + minor.
    pub fn architectures(&self) -> Result<Vec<i32>, CompileError> {
        let count_of = "nvrtcGetNumSupportedArchs";
        let list_of = "nvrtcGetSupportedArchs";
        let mut count = 0;
        // SAFETY: the types are those of nvrtc.h since NVRTC 11.2. The first pointer is to a live integer; the vector has
        // room for as many integers as the library writes according to the first call.
        unsafe {
            self.check(count_of, symbol::<Architectures>(self.library, count_of)?(&mut count))?;
            let mut list = vec![0; usize::try_from(count).unwrap_or(0)];
            self.check(list_of, symbol::<Architectures>(self.library, list_of)?(list.as_mut_ptr()))?;
            Ok(list)
        }
    }

    /// Compiles a text and returns the output and the log, which has warnings. Text includes its terminating zero.
    pub fn compile(
        &self,
        name: &str,
        text: &str,
        headers: &[(&str, &str)],
        options: &[&str],
        output: Output,
    ) -> Result<(Vec<u8>, String), CompileError> {
        let options = options.iter().map(|option| c_string(option, option)).collect::<Result<Vec<_>, _>>()?;
        let mut program = self.create(name, text, headers)?;
        let result = self.compile_program(program, &options, output);
        // SAFETY: the program was created by this library and is not used again.
        let destroyed = unsafe { (self.destroy)(&mut program) };
        let result = result?;
        self.check("nvrtcDestroyProgram", destroyed)?;
        Ok(result)
    }

    fn create(&self, name: &str, text: &str, headers: &[(&str, &str)]) -> Result<Program, CompileError> {
        let text = c_string(text, name)?;
        let name = c_string(name, name)?;
        let of_header = |(name, text): &(&str, &str)| Ok((c_string(name, name)?, c_string(text, name)?));
        let headers = headers.iter().map(of_header).collect::<Result<Vec<_>, CompileError>>()?;
        let (names, texts): (Vec<_>, Vec<_>) =
            headers.iter().map(|(name, text)| (name.as_ptr(), text.as_ptr())).unzip();
        let count = c_int::try_from(headers.len()).unwrap_or(0);
        let mut program: Program = ptr::null_mut();
        // SAFETY: all strings are null-terminated and live through the call, which copies them. Both lists have `count` strings.
        let status =
            unsafe { (self.create)(&mut program, text.as_ptr(), name.as_ptr(), count, texts.as_ptr(), names.as_ptr()) };
        self.check("nvrtcCreateProgram", status)?;
        Ok(program)
    }

    fn compile_program(
        &self,
        program: Program,
        options: &[CString],
        output: Output,
    ) -> Result<(Vec<u8>, String), CompileError> {
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(0);
        // SAFETY: the program exists, and the list has `count` strings, which live through the call.
        let status = unsafe { (self.compile)(program, count, pointers.as_ptr()) };
        if status == COMPILATION_FAILED {
            return Err(CompileError::Log(self.log(program)?));
        }
        self.check("nvrtcCompileProgram", status)?;
        Ok((self.output(program, output)?, self.log(program)?))
    }

    fn log(&self, program: Program) -> Result<String, CompileError> {
        let log = self.output(program, Output::Log)?;
        Ok(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned())
    }

    fn output(&self, program: Program, output: Output) -> Result<Vec<u8>, CompileError> {
        let [size_of, bytes_of] = output.functions();
        let mut size = 0;
        // SAFETY: the types are those of nvrtc.h, and the program exists. The buffer has the size that the library reports.
        unsafe {
            self.check(size_of, symbol::<SizeOf>(self.library, size_of)?(program, &mut size))?;
            let mut bytes = vec![0_u8; size];
            self.check(bytes_of, symbol::<BytesOf>(self.library, bytes_of)?(program, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), CompileError> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: the function returns a static string for every value.
        let reason = unsafe { CStr::from_ptr((self.error_string)(status)) };
        Err(CompileError::Call { call, reason: reason.to_string_lossy().into_owned() })
    }
}

/// Returns a text as a C string. The error, for a text with a zero byte, names `what`.
fn c_string(text: &str, what: &str) -> Result<CString, CompileError> {
    CString::new(text).map_err(|_| CompileError::ZeroByte(what.replace('\0', "\\0")))
}

/// Looks up a function of the library.
///
/// # Safety
/// `F` must be the function's type.
unsafe fn symbol<F: Copy>(library: &'static Library, name: &'static str) -> Result<F, CompileError> {
    // SAFETY: the caller guarantees the type. The library is never unloaded.
    let found = unsafe { library.get::<F>(name) };
    found
        .map(|symbol| *symbol)
        .map_err(|_| CompileError::Call { call: name, reason: "the library does not have this function".into() })
}
