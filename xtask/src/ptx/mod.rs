//! `cargo x ptx`: the prebuilt PTX of the kernels, from a pinned compiler so that anyone's run gives the same bytes.
//!
//! The compiler is NVRTC 12.1 for `compute_75`, or what a kernel's card `requires`, so that every driver that cudarc's
//! bindings serve accepts the result.
//! The header of a file has the hash of its source: `cargo x ci` compares it, `cargo x ptx --check` compiles again.
//! `__NV_TARGET_H` is defined away: without that, NVRTC 12.1 opens every file with 38 unused constants. For the same
//! reason kernels have their constants inside the function where they can: at namespace scope NVRTC makes a `.global`
//! variable of each.

mod compilers;
mod freshness;
mod header;

pub use compilers::compile_text;
pub use freshness::stale_files;

use crate::workspace::{Kernel, Stage};
use anyhow::{Context, Result, bail};
use compilers::Compilers;
use kernel_file::Language;
use std::path::Path;

/// Compiles the stages' kernels, those in `language` or all; writes the PTX, or with `check` compares it with what is on
/// disk.
///
/// # Errors
/// A compiler that is not there, a kernel that does not compile, a folder that cannot be written, or with `check` any
/// difference.
pub fn run(stages: &[Stage], language: Option<Language>, library: Option<&Path>, check: bool) -> Result<()> {
    let mut compilers = Compilers::new(library);
    let mut differences = Vec::new();
    for stage in stages {
        let is_wanted = |kernel: &Kernel| language.is_none_or(|language| kernel.language == language);
        for kernel in stage.kernels()?.into_iter().filter(is_wanted) {
            // Who edits one language need not have the compiler of the other.
            let is_rust = kernel.language == Language::Rust;
            if !check && is_rust && compilers.lacks_rust() && freshness::staleness(&kernel)?.is_none() {
                continue;
            }
            let text = compilers.compile(&kernel)?;
            differences.extend(if check { difference(&kernel, &text) } else { write(&kernel, &text)? });
        }
        let orphans = stage.orphans()?;
        differences.extend(orphans.iter().map(|orphan| format!("{}: there is no {}", orphan.shown, orphan.program)));
    }
    match (differences.is_empty(), check) {
        (true, false) => Ok(()),
        (true, true) => {
            println!("The PTX files are what their compilers make of the kernels.");
            Ok(())
        }
        (false, false) => bail!("delete what no kernel gives:\n  {}", differences.join("\n  ")),
        (false, true) => bail!("`cargo x ptx` would change these:\n  {}", differences.join("\n  ")),
    }
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
