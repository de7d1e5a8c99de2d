//! A kernel's file as it is: with a host program around the kernels, headers, and kernels that are templates.

use super::Check;
use crate::compiler;
use anyhow::{Context, Result, bail};
use cuda_cpp::source::Program;
use cuda_cpp::{Choice, Compiler, architecture, toolkit_headers};
use judge::kernel_file::Language;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// PTX, and how it was made.
pub struct Compiled {
    /// The text.
    pub ptx: String,
    /// The lines for the reader: the compiler, and what was left out of the file.
    pub report: String,
}

/// Compiles the text of a kernel's file, by any release of the compiler.
///
/// # Errors
/// Returns an error if there is no usable compiler, or the compiler's messages if the text does not compile.
pub fn compile(check: &Check, text: &str) -> Result<Compiled> {
    let file = &check.request.file;
    match Language::of(file) {
        Some(Language::Cuda) => cuda(check, text),
        Some(Language::Rust) => rust(file, text),
        None => bail!("{} is not a .ptx, .cu or .rs file", file.display()),
    }
}

fn rust(file: &Path, text: &str) -> Result<Compiled> {
    let name = file.display().to_string();
    let rust = rust_ptx::Compiler::find().with_context(|| format!("{name} cannot be compiled"))?;
    let ptx = rust.compile(&name, text, architecture(text)).with_context(|| does_not_compile(&name))?;
    Ok(Compiled { ptx, report: format!("{name}, compiled by {}", rust.describe()) })
}

fn cuda(check: &Check, text: &str) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let compiler = compiler(check, text).with_context(|| format!("{name} cannot be compiled"))?;
    let program = device_code(check, text, &compiler)?;
    let mut report = format!("{name}, compiled by {}", compiler.describe());
    let left_out = left_out(&program);
    if !left_out.is_empty() {
        let _ = write!(report, "; left out, as the host's: {}", left_out.join(", "));
    }
    let whole = format!("{}{}", program.code.text, instance(&check.request.kernel));
    let ptx = compiler.ptx_including(&name, &whole, &folders(check, text, &compiler));
    // What was left out may be the reason of an error.
    let ptx = ptx.with_context(|| does_not_compile(&report))?;
    Ok(Compiled { ptx, report })
}

fn does_not_compile(what: &str) -> String {
    format!("{what}: does not compile")
}

/// Returns the folders with headers: those of the command line, the file's own if it includes files by `"…"`, and for NVRTC the
/// toolkit's, in whose place clang has the course's header.
fn folders(check: &Check, text: &str, compiler: &Compiler) -> Vec<PathBuf> {
    let own = check.request.file.parent().filter(|_| text.contains("#include \""));
    let own = own.map(|own| if own.as_os_str().is_empty() { ".".into() } else { own.to_owned() });
    let toolkit = if matches!(compiler, Compiler::Nvrtc(_)) { toolkit_headers::folders() } else { Vec::new() };
    check.include.iter().cloned().chain(own).chain(toolkit).collect()
}

/// Returns the device's part of a file, without headers that the compiler does not find.
fn device_code(check: &Check, text: &str, compiler: &Compiler) -> Result<Program> {
    let folders = folders(check, text, compiler);
    let program = Program::of(&check.request.file, text, |header| {
        // Thrust's algorithms are called by the host.
        let is_of_host = header.starts_with("thrust/");
        !is_of_host && (compiler.has_header(header) || folders.iter().any(|folder| folder.join(header).is_file()))
    });
    program.context("the headers beside the file cannot be read, or not be copied to the folder for temporary files")
}

/// Returns the parts of the file and the names of headers that were shortened.
fn left_out(program: &Program) -> Vec<String> {
    let parts = program.code.left_out.iter().map(ToString::to_string);
    parts.chain(program.shortened.iter().map(|header| format!("parts of {header}"))).collect()
}

/// Opens the compiler. Without a choice, clang is taken if it has more of the file's headers than NVRTC.
fn compiler(check: &Check, text: &str) -> Result<Compiler> {
    let first = compiler::any(check.nvrtc.as_deref(), check.compiler)?;
    if check.compiler.is_some() || check.nvrtc.is_some() {
        return Ok(first);
    }
    let missing = |compiler: &Compiler| device_code(check, text, compiler).map(|program| program.code.left_out.len());
    match Compiler::find(Some(Choice::Clang)) {
        Ok(clang) if missing(&clang)? < missing(&first)? => Ok(clang),
        _ => Ok(first),
    }
}

/// Returns a declaration that instantiates a template, for a kernel named `times<float, 3>`, and nothing for another.
fn instance(kernel: &str) -> String {
    if kernel.contains('<') { format!("\nstatic auto const coalesced_instance = &{kernel};\n") } else { String::new() }
}
