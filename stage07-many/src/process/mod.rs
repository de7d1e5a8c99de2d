//! What the process of a rank begins with: its place among the others, where NCCL lies, and who started it.

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
