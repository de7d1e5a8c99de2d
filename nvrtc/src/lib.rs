//! NVRTC, NVIDIA's run-time compiler for CUDA C++: where it lies, and a safe binding to it.
//!
//! cudarc has bindings too. They are not used for compiling, because they panic where the library is missing, do not
//! know the file name of NVRTC 13, and cannot give machine code. This way the options are plain text as well.

mod api;
mod library;
mod names;
mod offer;
pub mod pinned;
mod search;

pub use offer::offer;
pub use search::{Missing, python_folders};

use api::{Api, Output};
use std::path::Path;

/// A loaded NVRTC; it stays loaded until the process ends.
#[derive(Debug)]
pub struct Nvrtc {
    api: Api,
    /// `12.9` as (12, 9).
    version: (i32, i32),
    /// Capabilities that it compiles for, 10 × major + minor.
    architectures: Vec<i32>,
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
    /// A name, a text or an option cannot be handed over.
    #[error("{0} contains a zero byte")]
    ZeroByte(String),
    /// No code of this kind for this device.
    #[error("NVRTC {0} makes no machine code for compute capability {1}")]
    Architecture(String, i32),
}

impl Nvrtc {
    /// The first NVRTC found: the file that `COALESCED_NVRTC` names, and no other; else the one that `cargo x nvrtc`
    /// keeps, one that the system's loader knows, the CUDA toolkit's, one from NVIDIA's Python wheels.
    ///
    /// # Errors
    /// [`Missing`], which says how to get it.
    pub fn find() -> Result<Self, Missing> {
        search::find()
    }

    /// The library `file`.
    ///
    /// # Errors
    /// The loader's words, or the function that failed or is not there; the text names the file.
    pub fn open(file: &Path) -> Result<Self, String> {
        let library = library::open(file)?;
        let nvrtc = Api::of(library).and_then(Self::of).map_err(|error| format!("{}: {error}", file.display()))?;
        library::open_builtins(file, nvrtc.version)?;
        Ok(nvrtc)
    }

    fn of(api: Api) -> Result<Self, CompileError> {
        Ok(Self { version: api.version()?, architectures: api.architectures()?, api })
    }

    /// `NVRTC 12.9`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles `text` for a device of capability `architecture` (10 × major + minor), with a line table, so that
    /// profilers and the emulator's faults name lines of the source. PTX is made for the newest architecture up to that
    /// one which this NVRTC knows. `name` is what error lines and line tables call the file.
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
        let target = self.target(architecture, product)?;
        let output = if product == Product::Ptx { Output::Ptx } else { Output::Cubin };
        self.api.compile(name, text, &[&target, "--generate-line-info", "--std=c++17"], output)
    }

    /// The PTX of `text`, made with just these options. `name` is what error lines and line tables call the file.
    ///
    /// # Errors
    /// [`CompileError`], with the compiler's log where the text is wrong.
    pub fn ptx<T: AsRef<str>>(&self, name: &str, text: &str, options: &[T]) -> Result<String, CompileError> {
        let options: Vec<&str> = options.iter().map(AsRef::as_ref).collect();
        let bytes = self.api.compile(name, text, &options, Output::Ptx)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    }

    fn target(&self, architecture: i32, product: Product) -> Result<String, CompileError> {
        let known = self.architectures.iter().copied();
        let (kind, known) = match product {
            Product::Ptx => ("compute", known.filter(|&known| known <= architecture).max()),
            Product::Cubin => ("sm", known.clone().find(|&known| known == architecture)),
        };
        let (major, minor) = self.version;
        let known = known.ok_or_else(|| CompileError::Architecture(format!("{major}.{minor}"), architecture))?;
        Ok(format!("--gpu-architecture={kind}_{known}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_named() {
        let error = Nvrtc::open(Path::new("/no/such/libnvrtc.so")).unwrap_err();
        assert!(error.starts_with("/no/such/libnvrtc.so: "), "{error}");
    }
}
