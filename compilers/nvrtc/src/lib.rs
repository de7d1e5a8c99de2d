//! A safe binding to NVRTC, NVIDIA's run-time compiler for CUDA C++, and the search for its library.
//!
//! cudarc's bindings are not used, because they panic if the library is missing, do not look for the file name of NVRTC 13,
//! and cannot compile to machine code. In this binding the options are plain text.

mod api;
mod library;
mod names;
pub mod pinned;
mod search;

pub use loading::search::Missing;
pub use search::python_folders;

use api::{Api, Output};
use std::path::Path;

/// A loaded NVRTC. It stays loaded until the process ends.
#[derive(Debug)]
pub struct Nvrtc {
    api: Api,
    /// The version: (12, 9) for 12.9.
    version: (i32, i32),
    /// The compute capabilities for which it compiles, 10 × major + minor.
    architectures: Vec<i32>,
}

/// The output of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// PTX, which the driver compiles for its device.
    Ptx,
    /// Machine code for one compute capability.
    Cubin,
}

/// The reason why a text could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The text has errors. This is the compiler's log.
    #[error("{0}")]
    Log(String),
    /// A call failed for another reason.
    #[error("NVRTC's {call} failed: {reason}")]
    Call {
        /// The name of the function.
        call: &'static str,
        /// NVRTC's name for the error.
        reason: String,
    },
    /// A name, a text or an option contains a zero byte, which a C string cannot.
    #[error("{0} contains a zero byte")]
    ZeroByte(String),
    /// This NVRTC cannot compile for the device.
    #[error("NVRTC {0} cannot compile for compute capability {1}")]
    Architecture(String, i32),
}

impl Nvrtc {
    /// Opens the first NVRTC that is found. If `COALESCED_NVRTC` names a file, only this file is tried. Otherwise the order is:
    /// the one that `cargo learn nvrtc` downloaded, the system's loader, the CUDA toolkit, and NVIDIA's Python wheels.
    ///
    /// # Errors
    /// Returns [`Missing`], whose text has the command that installs it.
    pub fn find() -> Result<Self, Missing> {
        search::find()
    }

    /// Opens the library `file`.
    ///
    /// # Errors
    /// Returns the loader's message, or the name of a function that failed or is missing. The text names the file.
    pub fn open(file: &Path) -> Result<Self, String> {
        let library = library::open(file)?;
        let nvrtc = Api::new(library).and_then(Self::new).map_err(|error| format!("{}: {error}", file.display()))?;
        library::open_builtins(file, nvrtc.version)?;
        Ok(nvrtc)
    }

    fn new(api: Api) -> Result<Self, CompileError> {
        Ok(Self { version: api.version()?, architectures: api.architectures()?, api })
    }

    /// Returns the name and version: `NVRTC 12.9`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles `text` for a device of compute capability `architecture` (10 × major + minor). The output has a line table, so
    /// that profilers and the emulator's faults name lines of the source. PTX is compiled for the newest architecture that
    /// this NVRTC supports and that is not newer than the device. If `specific`, the output is for this architecture only, which
    /// has instructions that newer ones lack (`compute_90a`). `name` is the name of the file in errors and line tables.
    ///
    /// # Errors
    /// Returns a [`CompileError`], with the compiler's log if the text has errors.
    pub fn compile(
        &self,
        name: &str,
        text: &str,
        (architecture, specific): (i32, bool),
        product: Product,
    ) -> Result<Vec<u8>, CompileError> {
        let suffix = if specific { "a" } else { "" };
        let target = format!("{}{suffix}", self.target(architecture, product)?);
        let output = if product == Product::Ptx { Output::Ptx } else { Output::Cubin };
        let options = [target.as_str(), "--generate-line-info", "--std=c++17"];
        self.api.compile(name, text, &[], &options, output).map(|(bytes, _)| bytes)
    }

    /// Compiles `text` to PTX with only these options. `name` is the name of the file in errors and line tables.
    ///
    /// # Errors
    /// Returns a [`CompileError`], with the compiler's log if the text has errors.
    pub fn ptx<T: AsRef<str>>(&self, name: &str, text: &str, options: &[T]) -> Result<String, CompileError> {
        self.ptx_including(name, text, &[], options)
    }

    /// Compiles `text` as [`Nvrtc::ptx`] does. It may include `headers`, which are names with texts.
    ///
    /// # Errors
    /// As [`Nvrtc::ptx`].
    pub fn ptx_including<T: AsRef<str>>(
        &self,
        name: &str,
        text: &str,
        headers: &[(&str, &str)],
        options: &[T],
    ) -> Result<String, CompileError> {
        self.ptx_and_log(name, text, headers, options).map(|(ptx, _)| ptx)
    }

    /// Compiles `text` as [`Nvrtc::ptx_including`] does. Returns the PTX and the log, which has the compiler's warnings.
    ///
    /// # Errors
    /// As [`Nvrtc::ptx`].
    pub fn ptx_and_log<T: AsRef<str>>(
        &self,
        name: &str,
        text: &str,
        headers: &[(&str, &str)],
        options: &[T],
    ) -> Result<(String, String), CompileError> {
        let options: Vec<&str> = options.iter().map(AsRef::as_ref).collect();
        let (bytes, log) = self.api.compile(name, text, headers, &options, Output::Ptx)?;
        Ok((String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned(), log))
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
    fn a_missing_library_is_named() {
        let error = Nvrtc::open(Path::new("/no/such/libnvrtc.so")).unwrap_err();
        assert!(error.starts_with("/no/such/libnvrtc.so: "), "{error}");
    }
}
