//! A kernel's file as it is: with a host program around the kernels, headers, and kernels that are templates.

use super::Check;
use super::names::{condition_of, list_parts, template_parameters};
use crate::advice::add_advice;
use crate::fetch;
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::source::{Extent, Program, Reading};
use cuda_cpp::{Choice, Compiler, architecture, requirement, toolkit_headers};
use judge::kernel_file::{Language, Request};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// PTX, and how it was made.
pub struct Compiled {
    /// The text.
    pub ptx: String,
    /// The lines for the reader: the compiler, and what was left out of the file.
    pub report: String,
    /// The compiler.
    pub compiler: String,
    /// The parts of the file that were left out.
    pub left_out: Vec<String>,
    /// The compiler's warnings.
    pub warnings: Vec<String>,
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
    let ptx = ptx
        .map_err(|error| anyhow!(add_advice(&error.to_string())))
        .with_context(|| format!("{name}: does not compile"))?;
    let compiler = rust.describe().to_string();
    Ok(Compiled {
        ptx,
        report: format!("{name}, compiled by {compiler}"),
        compiler,
        left_out: Vec::new(),
        warnings: Vec::new(),
    })
}

/// Compiles a file by the first way that succeeds. If none does, the error is the one with the fewest messages.
fn cuda(check: &Check, text: &str) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let compiler = compiler(check, text).with_context(|| format!("{name} cannot be compiled"))?;
    let newest = requirement(NEWEST).filter(|_| check.arch.is_none());
    let mut fewest: Option<(usize, anyhow::Error)> = None;
    for arch in [check.arch.as_deref()].into_iter().chain(newest.as_deref().map(Some)) {
        for way in WAYS {
            if check.include.is_empty() && way.0 != Named::Whole {
                continue;
            }
            match compile_for(check, text, &compiler, arch, way) {
                Ok(compiled) if arch == check.arch.as_deref() => return Ok(compiled),
                Ok(compiled) => {
                    let report = format!("{}; for sm_{NEWEST}, which it needs", compiled.report);
                    return Ok(Compiled { report, ..compiled });
                }
                Err(error) => {
                    let messages = error.to_string().matches("error: ").count();
                    if fewest.as_ref().is_none_or(|(fewest, _)| messages < *fewest) {
                        fewest = Some((messages, error));
                    }
                }
            }
        }
    }
    Err(fewest.map_or_else(|| anyhow!("{name} cannot be compiled"), |(_, error)| error))
}

/// What is done with the headers in the folders that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Whole,
    /// The host's parts of them are left out.
    Shortened,
    /// They are left out, but for those of the toolkit.
    LeftOut,
}

/// The ways to compile a file, which leave out more and more of it: headers may be the host's, in part or as a whole, and so may
/// be types that no kernel needs, and member functions of those that one does.
const WAYS: [(Named, Extent); 7] = [
    (Named::Whole, Extent::Host),
    (Named::Shortened, Extent::Host),
    (Named::LeftOut, Extent::Host),
    (Named::Whole, Extent::Unneeded),
    (Named::Whole, Extent::Members),
    (Named::Shortened, Extent::Unneeded),
    (Named::Shortened, Extent::Members),
];

/// The architecture of the emulated GPU. A file that does not compile for an older one is compiled for this.
const NEWEST: &str = "90";

/// Compiles a file without the host's part of it and of the headers beside it.
fn compile_for(
    check: &Check,
    text: &str,
    compiler: &Compiler,
    arch: Option<&str>,
    (named, extent): (Named, Extent),
) -> Result<Compiled> {
    let name = check.request.file.display().to_string();
    let program = device_code(check, text, compiler, named, extent)?;
    let left_out = left_out(&program);
    let what = if extent == Extent::Host { "as the host's" } else { "as the kernel does not need it" };
    let told = (!left_out.is_empty()).then(|| format!("left out, {what}: {}", list_parts(&left_out)));
    let code = format!("{}{}", program.code.text, instance(&check.request.kernel));
    let whole = match arch {
        // The comment has a line of its own, which does not count.
        Some(requirement) => format!("{requirement}\n#line 1 \"{}\"\n{code}", name.replace('\\', "/")),
        None => code,
    };
    let by = compiler.describe();
    let toolkits: Vec<&str> = program.missing.iter().map(String::as_str).filter(|header| is_missing(header)).collect();
    match compiler.ptx_including(&name, &whole, &folders(check, text, compiler), &check.define) {
        Ok(cuda_cpp::Compiled { ptx, warnings }) => {
            let told = told.map(|told| format!("; {told}")).unwrap_or_default();
            let without = format!("; without {} of the CUDA toolkit", toolkits.join(", "));
            let without = if toolkits.is_empty() { "" } else { &without };
            let compiler = by.to_string();
            let report = format!("{name}, compiled by {compiler}{told}{without}");
            let warnings = warnings.lines().map(|warning| format!("warning: {warning}")).collect();
            Ok(Compiled { ptx, report, compiler, left_out, warnings })
        }
        Err(error) => {
            let error = error.to_string();
            let brought = brought(&toolkits, &program, compiler);
            // What was left out may be the reason of an error.
            let advice =
                told.into_iter().chain(brought).chain(not_found(&program)).chain([elsewhere(&check.request.file)]);
            bail!("{name} does not compile with {by}:\n{}\n{}", error.trim_end(), advice.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Returns a line on how missing headers of the toolkit are brought; none if there are none.
fn brought(missing: &[&str], program: &Program, compiler: &Compiler) -> Option<String> {
    match compiler {
        Compiler::Nvrtc(_) => {
            let command = missing.iter().find_map(|header| toolkit_headers::command_for(header))?;
            Some(format!("missing of the CUDA toolkit, whose headers `{command}` downloads: {}", missing.join(", ")))
        }
        Compiler::Clang(_) => {
            let headers: BTreeSet<&str> =
                program.in_part.iter().map(String::as_str).chain(missing.iter().copied()).collect();
            let headers = Vec::from_iter(headers);
            let how = "NVRTC reads the toolkit's, which `cargo learn headers` downloads";
            (!headers.is_empty()).then(|| format!("missing for clang, at least in part: {}; {how}", headers.join(", ")))
        }
    }
}

/// Returns a line on the program's own headers that are not found; none if all are.
fn not_found(program: &Program) -> Option<String> {
    let headers: Vec<&str> = program.own_missing.iter().map(String::as_str).collect();
    let advice = "--include FOLDER names the folder that has them";
    (!headers.is_empty()).then(|| format!("not found beside the file: {}; {advice}", headers.join(", ")))
}

/// Returns a line on PTX that is compiled elsewhere.
fn elsewhere(file: &Path) -> String {
    let ptx = file.with_extension("ptx");
    format!(
        "nvcc may compile it where it is installed: `nvcc -ptx -lineinfo {}`, and then `cargo learn check {} …`",
        file.display(),
        ptx.file_name().map_or(ptx.as_path(), Path::new).display()
    )
}

/// Returns the reason why a file has no such kernel, if the kernel is a template without arguments or depends on macros.
pub fn absence(request: &Request) -> Option<anyhow::Error> {
    let name = &request.kernel;
    let is_cuda = language(&request.file) == Some(Language::Cuda) && !name.contains('<');
    let text = std::fs::read(&request.file).ok().filter(|_| is_cuda)?;
    let text = String::from_utf8_lossy(&text);
    if let Some(parameters) = template_parameters(&text, name) {
        let arguments = vec!["…"; parameters.split(',').count()].join(", ");
        let advice = format!("name it with arguments for <{parameters}>, as --kernel '{name}<{arguments}>'");
        return Some(anyhow!("`{name}` is a template: {advice}"));
    }
    let (line, condition) = condition_of(&text, name)?;
    Some(anyhow!(
        "`{name}` is left out by `{condition}` (line {line}) of {}: --define NAME or --define NAME=VALUE defines a macro",
        request.file.display()
    ))
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
fn device_code(check: &Check, text: &str, compiler: &Compiler, named: Named, extent: Extent) -> Result<Program> {
    let folders = folders(check, text, compiler);
    let is_found = |header: &str| {
        let is_left_out = named == Named::LeftOut && !toolkit_headers::is_toolkits(header);
        let mut folders = folders.iter().filter(|folder| !is_left_out || !check.include.contains(folder));
        !is_called_by_host(header)
            && (compiler.has_header(header) || folders.any(|folder| folder.join(header).is_file()))
    };
    let reading = Reading {
        file: &check.request.file,
        folders: if named == Named::Shortened { &check.include } else { &[] },
        is_found: &is_found,
        extent,
        kernel: &check.request.kernel,
    };
    Program::read(&reading, text)
        .context("the headers beside the file cannot be read, or not be copied to the folder for temporary files")
}

/// Returns whether a header of the toolkit has algorithms for a whole device, which the host calls.
fn is_called_by_host(header: &str) -> bool {
    ["cub/device/", "thrust/"].iter().any(|folder| header.starts_with(folder))
}

/// Returns whether a header that is not found is one of the toolkit for kernels.
fn is_missing(header: &str) -> bool {
    toolkit_headers::is_toolkits(header) && !is_called_by_host(header)
}

/// Returns the parts of the file and the names of headers that were shortened; none if it is whole.
fn left_out(program: &Program) -> Vec<String> {
    // A header of the toolkit is not the host's.
    let is_toolkits = |what: &str| what.starts_with('#') && what.split(['<', '"', '>']).nth(1).is_some_and(is_missing);
    let parts = program.code.left_out.iter().filter(|part| !is_toolkits(&part.what)).map(ToString::to_string);
    parts.chain(program.shortened.iter().map(|header| format!("parts of {header}"))).collect()
}

/// Opens the compiler. Without a choice, clang is taken if it has more of the file's headers than NVRTC.
fn compiler(check: &Check, text: &str) -> Result<Compiler> {
    let first = fetch::find_or_fetch(check.nvrtc.as_deref(), check.compiler)?;
    if check.compiler.is_some() || check.nvrtc.is_some() {
        return Ok(first);
    }
    let missing = |compiler: &Compiler| {
        device_code(check, text, compiler, Named::Whole, Extent::Host).map(|program| program.missing.len())
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
