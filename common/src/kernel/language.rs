//! What a language of kernels has to offer: a compiler, from a file's text to a module on the device.

use crate::device::{Device, driver_text};
use crate::error::Error;
use cudarc::driver::{CudaModule, DriverError};
use std::fmt::Debug;
use std::sync::Arc;

/// A language in which kernels are written. One implementation a language; nothing else in the program tells them apart.
pub trait Language: Debug + Sync {
    /// What its files end in, `cu`.
    fn extension(&self) -> &'static str;

    /// Finds its compiler.
    ///
    /// # Errors
    /// [`MissingCompiler`], which says how to get one.
    fn compiler(&self) -> Result<Box<dyn Compiler>, MissingCompiler>;
}

/// There is no compiler.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct MissingCompiler {
    /// How to get one.
    pub reason: String,
    /// Offers to fetch it, and says whether it is there now; `None` where that would not help.
    pub offer: Option<fn() -> bool>,
}

/// A compiler that was found.
pub trait Compiler: Debug {
    /// Compiles a kernel file for the device and loads it. The second value is what a learner should know about how.
    fn load(&self, device: &Device, text: &SourceText) -> (Result<LoadedModule, KernelError>, Option<String>);
}

/// What a compiler is given.
#[derive(Debug)]
pub struct SourceText<'a> {
    /// The file's name as errors and profilers show it: in full, so that it is found from any folder.
    pub name: String,
    /// `kernels/01_compute_forces.cu`.
    pub short_name: String,
    /// The text.
    pub text: &'a str,
    /// The PTX that was made from this text beforehand; `None` for a changed file.
    pub prebuilt: Option<&'static str>,
    /// The oldest compute capability that the kernel is for.
    pub compute_capability: (i32, i32),
}

/// [`LoadedModule::code`] of a file whose PTX came with the program.
pub const PREBUILT: &str = "prebuilt PTX";

/// A kernel file on the device.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// cudarc's module.
    pub module: Arc<CudaModule>,
    /// [`PREBUILT`], `NVRTC 12.9` or `NVRTC 13.5, cubin`.
    pub code: String,
}

impl LoadedModule {
    /// The module, or why the driver refused it.
    ///
    /// # Errors
    /// [`KernelError::Load`], naming the file.
    pub fn new(
        device: &Device,
        file: String,
        code: String,
        module: Result<Arc<CudaModule>, DriverError>,
    ) -> Result<Self, KernelError> {
        match module {
            Ok(module) => Ok(Self { module, code }),
            Err(error) => Err(KernelError::Load { file, code, reason: device.reason(error) }),
        }
    }
}

/// Why a kernel could not be compiled or loaded.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// The file differs from the one that the PTX was made from, and there is no compiler.
    #[error("{file} was changed and must be compiled: {missing}")]
    NeedsCompiler {
        /// The kernel's file.
        file: String,
        /// How to get one.
        missing: MissingCompiler,
    },
    /// `--nvrtc`, and there is no compiler.
    #[error("--nvrtc: {0}")]
    ForcedCompiler(MissingCompiler),
    /// The compiler found errors.
    #[error("{file} does not compile ({compiler}):\n{error}")]
    Compile {
        /// The kernel's file.
        file: String,
        /// Which compiler.
        compiler: String,
        /// The compiler's log.
        error: String,
    },
    /// The driver refused the code.
    #[error("cannot load {file} ({code}): {reason}")]
    Load {
        /// The kernel's file.
        file: String,
        /// What was loaded: `prebuilt PTX` or `NVRTC 12.9`.
        code: String,
        /// The driver's words.
        reason: String,
    },
    /// The file has no such entry point.
    #[error("{file} has no kernel {entry}: {reason}; the name and extern \"C\" must stay as they are")]
    Entry {
        /// The kernel's file.
        file: String,
        /// The entry point looked for.
        entry: String,
        /// The driver's words.
        reason: String,
    },
}

impl KernelError {
    /// No entry point of this name.
    pub(super) fn no_entry(file: String, entry: &str, error: DriverError) -> Self {
        Self::Entry { file, entry: entry.into(), reason: driver_text(error) }
    }
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Self {
        let reason = error.to_string();
        match error {
            KernelError::NeedsCompiler { missing, .. } | KernelError::ForcedCompiler(missing) => {
                Self::NoCompiler { reason, offer: missing.offer }
            }
            _ => Self::Kernel(reason),
        }
    }
}
