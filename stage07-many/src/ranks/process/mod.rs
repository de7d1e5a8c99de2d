//! The environment of a rank's process: its place among the ranks, the location of NCCL, and its parent.

use std::io::Write;

pub mod child;
pub mod nccl;
pub mod place;

use common::Error;
use std::path::PathBuf;

/// Returns the path of this program.
///
/// # Errors
/// [`Error::Open`].
pub fn program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|error| Error::Open(format!("cannot determine the path of this program: {error}")))
}

/// Prints a line to standard error in one write: ranks share it, and partial lines would interleave.
pub fn say(line: &str) {
    // Nothing is left to do if even this cannot be written.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
