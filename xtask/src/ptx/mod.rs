//! `cargo x ptx`: the prebuilt PTX of the kernels, from a pinned compiler so that anyone's run gives the same bytes.
//!
//! The compiler is NVRTC 12.1 for `compute_75`, or what a kernel's card `requires`, so that every driver that cudarc's
//! bindings serve accepts the result.
//! The header of a file has the hash of its source: `cargo x ci` compares it, `cargo x ptx --check` compiles again.
//! `__NV_TARGET_H` is defined away: without that, NVRTC 12.1 opens every file with 38 unused constants. For the same
//! reason kernels have their constants inside the function where they can: at namespace scope NVRTC makes a `.global`
//! variable of each.

mod freshness;
mod header;

pub use freshness::stale_files;

use crate::compiler;
use crate::workspace::{Kernel, Stage};
use anyhow::{Context, Result, bail, ensure};
use header::{Header, options};
use nvrtc::Nvrtc;
use nvrtc::pinned::PTX_VERSION;
use std::path::Path;

/// Compiles the stages' kernels; writes the PTX, or with `check` compares it with what is on disk.
///
/// # Errors
/// No usable NVRTC, a kernel that does not compile, a folder that cannot be written, or with `check` any difference.
pub fn run(stages: &[Stage], library: Option<&Path>, check: bool) -> Result<()> {
    let nvrtc = compiler::of_the_ptx_files(library)?;
    let mut differences = Vec::new();
    for stage in stages {
        for kernel in stage.kernels()? {
            let text = compile(&nvrtc, &kernel)?;
            differences.extend(if check { difference(&kernel, &text) } else { write(&kernel, &text)? });
        }
        let orphans = stage.orphans()?;
        differences.extend(orphans.iter().map(|orphan| format!("{}: there is no {}", orphan.shown, orphan.program)));
    }
    match (differences.is_empty(), check) {
        (true, false) => Ok(()),
        (true, true) => {
            println!("The PTX files are what NVRTC {PTX_VERSION} makes of the kernels.");
            Ok(())
        }
        (false, false) => bail!("delete what no kernel gives:\n  {}", differences.join("\n  ")),
        (false, true) => bail!("`cargo x ptx` would change these:\n  {}", differences.join("\n  ")),
    }
}

/// The PTX of a CUDA C++ text, with the options of the prebuilt PTX; `program` is what messages call it.
///
/// # Errors
/// No usable NVRTC, or the compiler's log.
pub fn compile_text(library: Option<&Path>, program: &str, text: &str) -> Result<String> {
    compiler::any(library)?.ptx(program, text, &options(text)).with_context(|| format!("{program} does not compile"))
}

/// The whole text of the kernel's PTX file.
fn compile(nvrtc: &Nvrtc, kernel: &Kernel) -> Result<String> {
    let source = read(&kernel.source)?;
    let ptx = nvrtc
        .ptx(&kernel.program, &source, &options(&source))
        .with_context(|| format!("{} does not compile", kernel.source.display()))?;
    let version = compiler_version(&ptx).context("the compiler's PTX does not say which version made it")?;
    ensure!(version == PTX_VERSION, "this NVRTC is {version}, and the prebuilt PTX is made with {PTX_VERSION} alone");
    let body = with_relative_file(&ptx, &kernel.program)?;
    Ok(format!("{}{}\n", Header::of(&kernel.program, &source), body.trim_end()))
}

/// `12.1.105`, from the line `// Cuda compilation tools, release 12.1, V12.1.105`.
fn compiler_version(ptx: &str) -> Option<&str> {
    ptx.lines().find_map(|line| line.strip_prefix("// Cuda compilation tools, ")?.split_once(", V")).map(|(_, v)| v)
}

/// NVRTC makes the source's name in `.file` absolute, by the current folder; this makes it `program` again.
fn with_relative_file(ptx: &str, program: &str) -> Result<String> {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        if line.trim_start().starts_with(".file") {
            let (number, path) = line.split_once('"').context("a .file line without a name")?;
            ensure!(path.ends_with(&format!("/{program}\"")), "a line table of another file than {program}: {line}");
            text.push_str(&format!("{number}\"{program}\"\n"));
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}

fn difference(kernel: &Kernel, text: &str) -> Option<String> {
    match std::fs::read_to_string(&kernel.ptx) {
        Ok(found) if found == text => None,
        Ok(_) => Some(format!("{}: differs", kernel.shown)),
        Err(error) => Some(format!("{}: {error}", kernel.shown)),
    }
}

/// Leaves a file that is right already untouched, so that cargo rebuilds nothing.
fn write(kernel: &Kernel, text: &str) -> Result<Option<String>> {
    if difference(kernel, text).is_none() {
        return Ok(None);
    }
    let context = || format!("cannot write {}", kernel.ptx.display());
    if let Some(folder) = kernel.ptx.parent() {
        std::fs::create_dir_all(folder).with_context(context)?;
    }
    std::fs::write(&kernel.ptx, text).with_context(context)?;
    println!("wrote {}", kernel.shown);
    Ok(None)
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_version_is_read_from_its_banner() {
        let banner = "// Compiler Build ID: CL-32688072\n// Cuda compilation tools, release 12.1, V12.1.105\n";
        assert_eq!(compiler_version(banner), Some("12.1.105"));
        assert_eq!(compiler_version(".version 8.1\n"), None);
    }

    #[test]
    fn file_line_loses_the_folder_of_the_run() {
        let ptx = "ret;\n\t.file\t1 \"/home/ada/kernels/01_x.cu\"\n";
        let text = with_relative_file(ptx, "kernels/01_x.cu").expect("the line is of this program");
        assert_eq!(text, "ret;\n\t.file\t1 \"kernels/01_x.cu\"\n");
    }

    #[test]
    fn file_line_of_another_source_is_refused() {
        let error = with_relative_file("\t.file\t1 \"/usr/include/a.h\"\n", "kernels/01_x.cu").unwrap_err();
        assert!(error.to_string().contains("/usr/include/a.h"), "{error}");
    }
}
