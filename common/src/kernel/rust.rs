//! Kernels in Rust, which rustc and LLVM compile at run time.

use super::language::{Compiler, Language, LoadedModule, MissingCompiler, SourceText, does_not_compile};
use crate::device::Device;
use crate::error::Error;
use cuda_cpp::Choice;

/// Rust.
#[derive(Debug)]
pub struct Rust;

impl Language for Rust {
    fn extension(&self) -> &'static str {
        "rs"
    }

    fn compiler(&self, _: Option<Choice>) -> Result<Box<dyn Compiler>, MissingCompiler> {
        match rust_ptx::Compiler::find() {
            Ok(compiler) => Ok(Box::new(compiler)),
            Err(missing) => Err(MissingCompiler { reason: missing.to_string(), fetch: None }),
        }
    }
}

impl Compiler for rust_ptx::Compiler {
    /// Compiles for the capability of the prebuilt PTX on every device: drivers compile PTX for newer ones.
    fn load(&self, device: &Device, source: &SourceText) -> (Result<LoadedModule, Error>, Option<String>) {
        let (major, minor) = source.compute_capability;
        let ptx = self.compile(&source.name, source.text, major * 10 + minor);
        let ptx = ptx.map_err(|error| does_not_compile(source, &self.describe(), &error));
        (ptx.and_then(|ptx| LoadedModule::compiled(device, source, self.describe(), &ptx)), None)
    }
}
