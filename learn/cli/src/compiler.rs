//! The compilers of learners' kernels.

use crate::advice::add_advice;
use cuda_cpp::{Choice, Compiled, architecture};
use judge::Error;
use judge::kernel_file::Language;
use std::path::Path;

/// Compiles the text of a kernel, which diagnostics name as `file`. `choice` is the compiler for CUDA C++; without it, the first
/// that is found. The inner error is the compiler's log. Warnings are those for CUDA C++ alone.
///
/// # Errors
/// There is no compiler, or it failed for another reason than the text.
pub fn compile(
    file: &Path,
    language: Language,
    choice: Option<Choice>,
    text: &str,
) -> Result<Result<Compiled, String>, Error> {
    let name = file.display().to_string();
    match language {
        Language::Cuda => match cuda_cpp::Compiler::find(choice).map_err(no_compiler)?.examine(&name, text) {
            Err(cuda_cpp::CompileError::Failed(reason)) => Err(Error::System(reason)),
            result => Ok(result.map_err(|error| error.to_string())),
        },
        Language::Rust => {
            match rust_ptx::Compiler::find().map_err(no_compiler)?.compile(&name, text, architecture(text)) {
                Err(rust_ptx::CompileError::Failed(reason)) => Err(Error::System(reason)),
                Err(error) => Ok(Err(add_advice(&error.to_string()))),
                Ok(ptx) => Ok(Ok(Compiled { ptx, warnings: String::new() })),
            }
        }
    }
}

/// Returns the name and version of the compiler: `NVRTC 12.1`.
///
/// # Errors
/// There is no compiler.
pub fn compiler_name(language: Language, choice: Option<Choice>) -> Result<String, Error> {
    match language {
        Language::Cuda => cuda_cpp::Compiler::find(choice).map(|compiler| compiler.describe()).map_err(no_compiler),
        Language::Rust => rust_ptx::Compiler::find().map(|compiler| compiler.describe()).map_err(no_compiler),
    }
}

/// Prepares the compiler: the first kernel in Rust on a machine waits for the compilation of Rust's core library.
///
/// # Errors
/// There is no compiler, or it failed.
pub fn ready(language: Language, choice: Option<Choice>) -> Result<(), Error> {
    let nothing = match language {
        Language::Cuda => "",
        Language::Rust => "#![no_std]\n",
    };
    compile(Path::new("nothing"), language, choice, nothing).map(|_| ())
}

fn no_compiler(missing: impl std::fmt::Display) -> Error {
    Error::NoCompiler(format!("there is no compiler: {missing}"))
}
