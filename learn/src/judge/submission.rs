//! A compiled kernel, and its compilation.

use crate::error::Error;
use crate::kernel_file::{Language, architecture, nvrtc_options};
use nvrtc::Nvrtc;
use std::path::{Path, PathBuf};

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The file, which messages name and quote.
    pub file: PathBuf,
    /// The language of the file.
    pub language: Language,
    /// The text of the file.
    pub text: String,
    /// The PTX made from the text.
    pub ptx: String,
}

/// Compiles the text of a kernel, which messages call `file`. The inner error is the compiler's log.
///
/// # Errors
/// There is no compiler, or it failed for another reason than the text.
pub fn compile(file: &Path, language: Language, text: &str) -> Result<Result<String, String>, Error> {
    let name = file.display().to_string();
    match language {
        Language::Cuda => match Nvrtc::find().map_err(no_compiler)?.ptx(&name, text, &nvrtc_options(text)) {
            Err(nvrtc::CompileError::Call { call, reason }) => {
                Err(Error::System(format!("NVRTC's {call} failed: {reason}")))
            }
            result => Ok(result.map_err(|error| error.to_string())),
        },
        Language::Rust => {
            match rust_ptx::Compiler::find().map_err(no_compiler)?.compile(&name, text, architecture(text)) {
                Err(rust_ptx::CompileError::Failed(reason)) => Err(Error::System(reason)),
                result => Ok(result.map_err(|error| error.to_string())),
            }
        }
    }
}

/// Prepares the compiler: the first kernel in Rust on a machine waits for the compilation of Rust's core library.
///
/// # Errors
/// There is no compiler, or it failed.
pub fn ready(language: Language) -> Result<(), Error> {
    let nothing = match language {
        Language::Cuda => "",
        Language::Rust => "#![no_std]\n",
    };
    compile(Path::new("nothing"), language, nothing).map(|_| ())
}

fn no_compiler(missing: impl std::fmt::Display) -> Error {
    Error::NoCompiler(format!("there is no compiler: {missing}"))
}
