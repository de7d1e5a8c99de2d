//! Languages of kernels, and their compilers: from a file's text to a module on the device.

use crate::device::{Backend, Device};
use crate::error::Error;
use cuda_cpp::{Assembler, Choice};
use cudarc::driver::{CudaModule, DriverError};
use cudarc::nvrtc::Ptx;
use predict::MachineCode;
use std::fmt::{Debug, Display};
use std::sync::{Arc, OnceLock};

/// A language of kernels. Nothing else in the program distinguishes languages.
pub trait Language: Debug + Sync {
    /// Returns the extension of its files, `cu`.
    fn extension(&self) -> &'static str;

    /// Finds its compiler. `choice` is of those for CUDA C++; without one, the first that is found.
    ///
    /// # Errors
    /// [`MissingCompiler`], with instructions for getting one.
    fn compiler(&self, choice: Option<Choice>) -> Result<Box<dyn Compiler>, MissingCompiler>;
}

/// A compiler that is not installed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct MissingCompiler {
    /// Instructions for getting it.
    pub reason: String,
    /// Asks the user, fetches the compiler, and returns whether it is there now; `None` if it cannot be fetched.
    pub fetch: Option<fn() -> bool>,
}

/// A compiler that was found.
pub trait Compiler: Debug {
    /// Compiles a kernel file for the device and loads it. The second value is a notice about how it was loaded.
    fn load(&self, device: &Device, text: &SourceText) -> (Result<LoadedModule, Error>, Option<String>);
}

/// The input of a compiler.
#[derive(Debug)]
pub struct SourceText<'a> {
    /// The file's full name, for errors and profilers: it can be found from any folder.
    pub name: String,
    /// `kernels/01_compute_forces.cu`.
    pub short_name: String,
    /// The text.
    pub text: &'a str,
    /// The PTX that was made from this text; `None` for a changed file.
    pub prebuilt: Option<&'static str>,
    /// The oldest compute capability that the kernel is for.
    pub compute_capability: (i32, i32),
}

/// [`LoadedModule::code`] of a file whose PTX is part of the program.
pub const PREBUILT: &str = "prebuilt PTX";

/// A kernel file on the device.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// cudarc's module.
    pub module: Arc<CudaModule>,
    /// The only entry point that was loaded; `None` for all of the file.
    pub entry: Option<String>,
    /// [`PREBUILT`], `NVRTC 12.9`, `NVRTC 13.5, cubin` or `clang 22.1.8`.
    pub code: String,
    /// The shipped listing of what ptxas makes of it, for estimates on the emulator; `None` if there is none.
    pub machine_code: Option<String>,
    /// Whether the file differs from the one that the prebuilt PTX was made from.
    pub is_edited: bool,
    /// The PTX of a kernel that was compiled at run time for the emulator.
    pub(super) assembly: Option<Arc<Assembly>>,
}

impl LoadedModule {
    /// Returns the module, or the reason why the driver refused it.
    ///
    /// # Errors
    /// [`Error::Kernel`], naming the file.
    pub fn new(
        device: &Device,
        file: String,
        code: String,
        module: Result<Arc<CudaModule>, DriverError>,
    ) -> Result<Self, Error> {
        match module {
            Ok(module) => Ok(Self { module, entry: None, code, machine_code: None, is_edited: false, assembly: None }),
            Err(error) => Err(cannot_load(&file, &code, &device.reason(error))),
        }
    }

    /// Returns whether an entry point was loaded, if the file has it.
    pub(super) fn has(&self, entry: &str) -> bool {
        self.entry.as_deref().is_none_or(|only| only == entry)
    }

    /// Loads the PTX that a compiler made of a file; `code` describes the compiler.
    ///
    /// # Errors
    /// As [`LoadedModule::new`].
    pub(super) fn compiled(device: &Device, source: &SourceText, code: String, ptx: &str) -> Result<Self, Error> {
        let module = device.context.load_module(Ptx::from_src(ptx));
        Self::new(device, source.short_name.clone(), code, module).map(|module| module.compiled_to(ptx, device))
    }

    /// Keeps the PTX that a compiler made, which is what an estimate on the emulator is made from.
    pub(super) fn compiled_to(self, ptx: &str, device: &Device) -> Self {
        let is_emulated = device.backend == Backend::Emulator;
        Self { assembly: is_emulated.then(|| Arc::new(Assembly::new(ptx.to_owned()))), ..self }
    }

    /// Returns the listing of its machine code: the shipped one, or if `assembles`, what ptxas makes of the compiled PTX.
    pub(super) fn listing(&self, assembles: bool) -> Option<&str> {
        let made = || self.assembly.as_ref().filter(|_| assembles)?.listing();
        self.machine_code.as_deref().or_else(made)
    }
}

/// PTX that was compiled at run time, and what ptxas makes of it. An edited kernel is estimated from its machine code, as the
/// shipped ones are from theirs.
#[derive(Debug)]
pub(super) struct Assembly {
    ptx: String,
    listing: OnceLock<Option<String>>,
}

impl Assembly {
    /// Returns the assembly of PTX, without assembling it yet.
    fn new(ptx: String) -> Self {
        Self { ptx, listing: OnceLock::new() }
    }

    /// Returns the listing of the machine code; `None` if ptxas is not installed or refuses the PTX, or if nvdisasm's output is
    /// not understood. The first call runs both programs, which takes some tenths of a second.
    fn listing(&self) -> Option<&str> {
        self.listing.get_or_init(|| assemble(&self.ptx)).as_deref()
    }
}

fn assemble(ptx: &str) -> Option<String> {
    let assembled = Assembler::find()?.run(ptx).ok()?;
    let code = MachineCode::decode(&assembled.disassembly, &assembled.messages).ok()?;
    Some(code.listing(|_| true))
}

/// Returns the error for a file in which a compiler found errors.
pub(super) fn does_not_compile(source: &SourceText, compiler: &str, error: &dyn Display) -> Error {
    Error::Kernel(format!("{} does not compile ({compiler}):\n{error}", source.name))
}

/// Returns the error for code that the driver refused.
pub(super) fn cannot_load(file: &str, code: &str, reason: &str) -> Error {
    Error::Kernel(format!("cannot load {file} ({code}): {reason}"))
}
