//! A kernel's file as it is: with a host program around the kernels, headers, and kernels that are templates.

use super::Check;
use super::names::{list_parts, template_parameters};
use crate::advice::add_advice;
use crate::fetch;
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::source::Program;
use cuda_cpp::{Choice, Compiler, architecture, requirement, toolkit_headers};
use judge::kernel_file::{Language, Request};
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
    match language(file) {
        Some(Language::Cuda) => cuda(check, text),
        Some(Language::Rust) => rust(check, text),
        None => bail!("{} is not a .ptx, .cu, .cuh or .rs file", file.display()),
    }
}

/// Returns the language of a file. Kernels in CUDA C++ are also in headers.
pub fn language(file: &Path) -> Option<Language> {
    Language::from_file(file).or_else(|| (file.extension()? == "cuh").then_some(Language::Cuda))
}

fn rust(check: &Check, text: &str) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let rust = rust_ptx::Compiler::find().with_context(|| format!("{name} cannot be compiled"))?;
    let architecture = architecture(check.arch.as_deref().unwrap_or(text));
    let ptx = rust.compile(&name, text, architecture);
    let ptx = ptx.map_err(|error| anyhow!(add_advice(&error.to_string()))).with_context(|| does_not_compile(&name))?;
    Ok(Compiled { ptx, report: format!("{name}, compiled by {}", rust.describe()) })
}

fn cuda(check: &Check, text: &str) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let compiler = compiler(check, text).with_context(|| format!("{name} cannot be compiled"))?;
    let arch = check.arch.as_deref();
    // Headers in the folders of the command line may be the host's, in part or as a whole.
    let ways =
        if check.include.is_empty() { &[Named::Whole][..] } else { &[Named::Whole, Named::Shortened, Named::LeftOut] };
    let compiled = |arch, named| compile_for(check, text, &compiler, arch, named);
    let mut tried = compiled(arch, ways[0]);
    for way in &ways[1..] {
        tried = tried.or_else(|error| compiled(arch, *way).map_err(|_| error));
    }
    let newest = requirement(NEWEST).filter(|_| arch.is_none());
    match (tried, newest) {
        (Err(error), Some(newest)) => match ways.iter().find_map(|way| compiled(Some(&newest), *way).ok()) {
            Some(Compiled { ptx, report }) => {
                Ok(Compiled { ptx, report: format!("{report}; for sm_{NEWEST}, which it needs") })
            }
            None => Err(error),
        },
        (tried, _) => tried,
    }
}

/// What is done with the headers in the folders that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Whole,
    /// The host's parts of them are left out.
    Shortened,
    LeftOut,
}

/// The architecture of the emulated GPU. A file that does not compile for an older one is compiled for this.
const NEWEST: &str = "90";

/// Compiles a file without the host's part of it and of the headers beside it.
fn compile_for(check: &Check, text: &str, compiler: &Compiler, arch: Option<&str>, named: Named) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let program = device_code(check, text, compiler, named)?;
    let mut report = format!("{name}, compiled by {}", compiler.describe());
    let left_out = left_out(&program);
    if !left_out.is_empty() {
        let _ = write!(report, "; left out, as the host's: {}", list_parts(&left_out));
    }
    let code = format!("{}{}", program.code.text, instance(&check.request.kernel));
    let whole = match arch {
        // The comment has a line of its own, which does not count.
        Some(requirement) => format!("{requirement}\n#line 1 \"{}\"\n{code}", name.replace('\\', "/")),
        None => code,
    };
    let ptx = compiler.ptx_including(&name, &whole, &folders(check, text, compiler, named));
    // What was left out may be the reason of an error.
    let ptx = ptx.with_context(|| does_not_compile(&report))?;
    Ok(Compiled { ptx, report })
}

/// Returns an error that names the parameters of a template, if the kernel is one and has no arguments.
pub fn template_error(request: &Request) -> Option<anyhow::Error> {
    let name = &request.kernel;
    let is_cuda = language(&request.file) == Some(Language::Cuda) && !name.contains('<');
    let text = std::fs::read(&request.file).ok().filter(|_| is_cuda)?;
    let parameters = template_parameters(&String::from_utf8_lossy(&text), name)?;
    Some(anyhow!(
        "`{name}` is a template: name it with arguments for <{parameters}>, as --kernel '{name}<{}>'",
        vec!["…"; parameters.split(',').count()].join(", ")
    ))
}

fn does_not_compile(what: &str) -> String {
    format!("{what}: does not compile")
}

/// Returns the folders with headers: those of the command line, the file's own if it includes files by `"…"`, and for NVRTC the
/// toolkit's, in whose place clang has the course's header.
fn folders(check: &Check, text: &str, compiler: &Compiler, named: Named) -> Vec<PathBuf> {
    let own = check.request.file.parent().filter(|_| text.contains("#include \""));
    let own = own.map(|own| if own.as_os_str().is_empty() { ".".into() } else { own.to_owned() });
    let toolkit = if matches!(compiler, Compiler::Nvrtc(_)) { toolkit_headers::folders() } else { Vec::new() };
    let include = if named == Named::LeftOut { &[][..] } else { &check.include };
    include.iter().cloned().chain(own).chain(toolkit).collect()
}

/// Returns the device's part of a file, without headers that the compiler does not find.
fn device_code(check: &Check, text: &str, compiler: &Compiler, named: Named) -> Result<Program> {
    let folders = folders(check, text, compiler, named);
    let shortened = if named == Named::Shortened { &check.include[..] } else { &[] };
    let program = Program::read(&check.request.file, text, shortened, |header| {
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
    let first = fetch::find_or_fetch(check.nvrtc.as_deref(), check.compiler)?;
    if check.compiler.is_some() || check.nvrtc.is_some() {
        return Ok(first);
    }
    let missing = |compiler: &Compiler| {
        device_code(check, text, compiler, Named::Whole).map(|program| program.code.left_out.len())
    };
    match Compiler::find(Some(Choice::Clang)) {
        Ok(clang) if missing(&clang)? < missing(&first)? => Ok(clang),
        _ => Ok(first),
    }
}

/// Returns a declaration that instantiates a template, for a kernel named `times<float, 3>`, and nothing for another.
fn instance(kernel: &str) -> String {
    if kernel.contains('<') { format!("\nstatic auto const coalesced_instance = &{kernel};\n") } else { String::new() }
}
