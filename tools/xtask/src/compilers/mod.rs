//! `cargo x compilers`: the counts of all kernels, compiled by NVRTC and by clang, beside each other.

mod exercises;
mod reasons;
mod stages;
mod table;

use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use cuda_cpp::{Choice, Compiler};

/// The file with the table.
const TABLE: &str = "compilers/cuda-cpp/COUNTS.md";

/// The compilers, in the order of the table's columns.
const BOTH: [Choice; 2] = [Choice::Nvrtc, Choice::Clang];

/// A kernel and the warp instructions of its launches.
pub struct Row {
    /// The stage or `exercises`.
    pub group: String,
    /// The name of the kernel, or the exercise and its file.
    pub kernel: String,
    /// The warp instructions of NVRTC's PTX and of clang's.
    pub instructions: [u64; 2],
}

impl Row {
    /// Returns clang's count divided by NVRTC's.
    pub fn ratio(&self) -> f64 {
        let [nvrtc, clang] = self.instructions.map(|count| count as f64);
        clang / nvrtc
    }
}

/// Counts all kernels with both compilers and writes the table. With `check`, only compares it with the file.
///
/// # Errors
/// Returns an error if a compiler is missing, if a kernel does not compile or its results are wrong, if a difference has no
/// reason, or with `check` if the file is out of date.
pub fn run(workspace: &Workspace, check: bool) -> Result<()> {
    let [nvrtc, clang] = BOTH.map(|choice| Compiler::find(Some(choice)));
    let compilers = [nvrtc?, clang?];
    let mut rows = stages::rows(workspace)?;
    rows.extend(exercises::rows(workspace, &compilers)?);
    let unexplained = reasons::missing(&rows);
    ensure!(
        unexplained.is_empty(),
        "counts differ by more than 15 %, and tools/xtask/src/compilers/reasons.rs has no reason: {}",
        unexplained.join(", ")
    );
    let text = table::text(&rows, &compilers.map(|compiler| compiler.describe()));
    workspace.update(TABLE, &text, check, "cargo x compilers")
}
