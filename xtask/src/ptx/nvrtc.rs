//! NVRTC, called directly: the few functions that make PTX.

use anyhow::{Context, Result, bail, ensure};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

/// nvrtcProgram, an opaque pointer.
type Program = *mut c_void;
type Status = c_int;
type Strings = *const *const c_char;
type Create = unsafe extern "C" fn(*mut Program, *const c_char, *const c_char, c_int, Strings, Strings) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, Strings) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> Status;
type TextOf = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;

const SUCCESS: Status = 0;
/// NVRTC_ERROR_COMPILATION: the log says why.
const COMPILATION_FAILED: Status = 6;

/// A loaded NVRTC.
pub struct Nvrtc {
    create: Create,
    compile: Compile,
    destroy: Destroy,
    ptx_size: SizeOf,
    ptx: TextOf,
    log_size: SizeOf,
    log: TextOf,
    error_string: ErrorString,
    /// Unloads the functions above when dropped.
    _library: Library,
}

impl Nvrtc {
    /// Loads the library `file`.
    ///
    /// # Errors
    /// The loader's words, or the name of a function that the library lacks.
    pub fn open(file: &Path) -> Result<Self> {
        // SAFETY: NVRTC's initialisers take no input of ours and may run on any thread.
        let library = unsafe { Library::new(file) }.with_context(|| format!("cannot load {}", file.display()))?;
        // SAFETY: each field's type is that of the function in nvrtc.h, since NVRTC 8; the library lives as long.
        let nvrtc = unsafe {
            Self {
                create: symbol(&library, "nvrtcCreateProgram")?,
                compile: symbol(&library, "nvrtcCompileProgram")?,
                destroy: symbol(&library, "nvrtcDestroyProgram")?,
                ptx_size: symbol(&library, "nvrtcGetPTXSize")?,
                ptx: symbol(&library, "nvrtcGetPTX")?,
                log_size: symbol(&library, "nvrtcGetProgramLogSize")?,
                log: symbol(&library, "nvrtcGetProgramLog")?,
                error_string: symbol(&library, "nvrtcGetErrorString")?,
                _library: library,
            }
        };
        Ok(nvrtc)
    }

    /// The PTX of the CUDA C++ text `source`; `program` is what messages and line tables call it.
    ///
    /// # Errors
    /// The compiler's log where the text is wrong; else what failed.
    pub fn compile(&self, program: &str, source: &str, options: &[&str]) -> Result<String> {
        let (name, source) = (CString::new(program)?, CString::new(source)?);
        let mut handle: Program = ptr::null_mut();
        // SAFETY: both strings end with a zero and live through the call, which copies them; with a header count of 0
        // both lists may be null.
        let status = unsafe { (self.create)(&mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        self.check("nvrtcCreateProgram", status)?;
        let ptx = self.compile_program(handle, options);
        // SAFETY: the program was created above and is used no more.
        self.check("nvrtcDestroyProgram", unsafe { (self.destroy)(&mut handle) })?;
        ptx
    }

    fn compile_program(&self, program: Program, options: &[&str]) -> Result<String> {
        let options = options.iter().map(|&option| CString::new(option)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive, and the list holds that many strings, which live through the call.
        let status = unsafe { (self.compile)(program, c_int::try_from(pointers.len())?, pointers.as_ptr()) };
        if status == COMPILATION_FAILED {
            bail!("\n{}", self.text(program, self.log_size, self.log)?);
        }
        self.check("nvrtcCompileProgram", status)?;
        self.text(program, self.ptx_size, self.ptx)
    }

    fn text(&self, program: Program, size_of: SizeOf, text_of: TextOf) -> Result<String> {
        let mut size = 0;
        // SAFETY: the program is alive, and the size goes to a live integer.
        self.check("nvrtcGet…Size", unsafe { size_of(program, &mut size) })?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the program is alive, and the buffer has the size that the library said it writes.
        self.check("nvrtcGet…", unsafe { text_of(program, bytes.as_mut_ptr().cast()) })?;
        let text = CStr::from_bytes_until_nul(&bytes).context("NVRTC gave a text without an end")?;
        Ok(text.to_str().context("NVRTC gave a text that is not UTF-8")?.to_owned())
    }

    fn check(&self, call: &str, status: Status) -> Result<()> {
        // SAFETY: the function gives a static string for every value.
        let reason = || unsafe { CStr::from_ptr((self.error_string)(status)) }.to_string_lossy();
        ensure!(status == SUCCESS, "{call} failed: {}", reason());
        Ok(())
    }
}

/// A function of the library, to be called only while that is loaded.
///
/// # Safety
/// `F` must be the function's type.
unsafe fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F> {
    // SAFETY: the caller gives the function's type.
    let symbol = unsafe { library.get::<F>(name) }.with_context(|| format!("the library has no {name}"))?;
    Ok(*symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_named() {
        let error = Nvrtc::open(Path::new("/no/such/libnvrtc.so")).err().expect("there is no such file");
        assert!(error.to_string().contains("/no/such/libnvrtc.so"), "{error}");
    }
}
