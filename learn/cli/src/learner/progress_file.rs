//! The file of a learner's progress.

use super::write::write_whole;
use judge::Error;
use judge::kernel_file::MAX_BYTES;
use judge::progress::Progress;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The name of the file.
pub const PROGRESS_FILE: &str = "progress.toml";

/// Returns the path of the file in a folder.
#[must_use]
pub fn progress_file(folder: &Path) -> PathBuf {
    folder.join(PROGRESS_FILE)
}

/// Reads the progress in a folder. Returns `None` if it has no progress.
///
/// # Errors
/// The file cannot be read, or is damaged.
pub fn read_progress(folder: &Path) -> Result<Option<Progress>, Error> {
    let path = progress_file(folder);
    let text = match std::fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error),
        // Opening a pipe would not end.
        Ok(metadata) if !metadata.is_file() => Err(std::io::Error::other("it is not a file")),
        Ok(_) => File::open(&path).and_then(read_most),
    };
    let bytes = text.map_err(Error::file("read", &path))?;
    Progress::parse(&bytes).map(Some).map_err(|reason| Error::Set { path, reason })
}

/// Writes the progress to a folder, in one step.
///
/// # Errors
/// The file cannot be written.
pub fn write_progress(progress: &Progress, folder: &Path) -> Result<(), Error> {
    write_whole(&progress_file(folder), progress.text().map_err(Error::System)?)
}

/// Reads a file up to [`MAX_BYTES`].
fn read_most(file: File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
