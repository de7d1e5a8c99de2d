//! What the process of a rank begins with: its place among the others, where NCCL lies, and who started it.

use std::io::Write;

pub mod address;
pub mod child;
pub mod nccl;
pub mod place;

use common::Error;
use std::path::PathBuf;

/// This program's file.
///
/// # Errors
/// [`Error::Open`].
pub fn program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|error| Error::Open(format!("the program's own path is unknown: {error}")))
}

/// Prints a line on standard error at once: ranks share it, and parts of lines would mix.
pub fn say(line: &str) {
    // Nothing is left to do where even this cannot be written.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
