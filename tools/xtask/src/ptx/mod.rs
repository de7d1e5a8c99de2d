//! `cargo x ptx`: the prebuilt PTX of the kernels, from pinned compilers, so that every run produces the same bytes.
//!
//! Kernels in CUDA C++ are compiled by NVRTC 12.1 for `compute_75`, or for the architecture that a kernel's card `requires`.
//! Every driver that cudarc's bindings support accepts the result. The header of a PTX file contains the hash of its source,
//! which `cargo x ci` compares; `cargo x ptx --check` compiles the kernels again.
//!
//! `__NV_TARGET_H` is defined as empty, because NVRTC 12.1 otherwise begins every file with 38 unused constants. For the same
//! reason kernels define their constants inside functions if possible: NVRTC makes a `.global` variable of each constant at
//! namespace scope.

mod compilers;
mod freshness;
mod header;

pub use freshness::stale_files;

use crate::packed;
use crate::workspace::{Kernel, Stage};
use anyhow::{Result, bail};
use compilers::Compilers;
use judge::kernel_file::Language;
use std::path::Path;

/// Compiles the kernels in `language`, or in both languages, and writes their PTX. With `check`, compares it with the files.
///
/// # Errors
/// Returns an error if a compiler is missing, if a kernel does not compile, if a file cannot be written, if a PTX file has no
/// kernel, or if `check` finds a difference.
pub fn run(stages: &[Stage], language: Option<Language>, library: Option<&Path>, check: bool) -> Result<()> {
    let mut compilers = Compilers::new(library);
    let mut differences = Vec::new();
    for stage in stages {
        let is_wanted = |kernel: &Kernel| language.is_none_or(|language| kernel.language == language);
        for kernel in stage.prebuilt_kernels()?.into_iter().filter(is_wanted) {
            // Editing kernels in one language does not require the compiler of the other.
            let is_rust = kernel.language == Language::Rust;
            if !check && is_rust && compilers.lacks_rust() && freshness::staleness(&kernel)?.is_none() {
                continue;
            }
            let text = compilers.compile(&kernel)?;
            differences.extend(packed::update(&kernel.ptx, &kernel.shown, &text, check)?);
        }
        differences.extend(stage.orphans()?);
    }
    match (differences.is_empty(), check) {
        (true, false) => Ok(()),
        (true, true) => {
            println!("The PTX files are up to date.");
            Ok(())
        }
        (false, false) => bail!("delete these PTX files, which have no kernel source:\n  {}", differences.join("\n  ")),
        (false, true) => bail!("`cargo x ptx` would change these:\n  {}", differences.join("\n  ")),
    }
}
