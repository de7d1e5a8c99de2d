//! A kernel that is judged, and its compilation.

use crate::error::Error;
use kernel_file::{Language, architecture, nvrtc_options};
use nvrtc::Nvrtc;
use std::path::{Path, PathBuf};

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Submission {
    /// What messages call its file, and where they read its lines.
    pub file: PathBuf,
    /// What it is written in.
    pub language: Language,
    /// The file's text.
    pub text: String,
    /// What the compiler made of it.
    pub ptx: String,
}

/// Compiles a text; `file` is what messages call it. The inner error is the compiler's words.
///
/// # Errors
/// No compiler, which is not the kernel's fault.
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

/// Makes the compiler ready: the first kernel in Rust on a machine waits for Rust's core library.
///
/// # Errors
/// No compiler.
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
