//! Writing files so that they are always complete.

use judge::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes a file in one step: to a temporary file in the same folder, to the disk, and then under its name. If this fails,
/// the old file is unchanged.
///
/// # Errors
/// The disk is full, or the folder is missing or cannot be written.
pub fn write_whole(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Error> {
    let write = || written_beside(path, text.as_ref())?.persist(path).map_err(|error| error.error);
    write().map(drop).map_err(Error::file("write", path))
}

/// Writes a file in one step, unless there is one of this name, which another program may have made a moment ago. Returns whether it
/// was written.
///
/// # Errors
/// The same as for [`write_whole`].
pub fn write_new(path: &Path, text: impl AsRef<[u8]>) -> Result<bool, Error> {
    let write = || match written_beside(path, text.as_ref())?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    };
    write().map_err(Error::file("write", path))
}

/// Returns a temporary file with the text, on the disk, in the folder of a path.
fn written_beside(path: &Path, text: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    allow_reading(file.as_file())?;
    Ok(file)
}

/// Allows all users to read the file. Temporary files can be read only by their owner.
#[cfg(unix)]
fn allow_reading(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Copies a file to the first free name of `NAME.before-1`, `NAME.before-2`, …, and returns that name.
///
/// # Errors
/// The file cannot be read, or the copy cannot be written.
pub fn keep_before(path: &Path) -> Result<PathBuf, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 1;
    loop {
        let kept = path.with_file_name(format!("{name}.before-{number}"));
        // Reserves the name first, so that two programs cannot choose the same one.
        match std::fs::File::create_new(&kept) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(Error::file("write", kept)(error)),
            Ok(_) => {
                let bytes = std::fs::read(path).map_err(Error::file("read", path));
                let written = bytes.and_then(|bytes| write_whole(&kept, bytes));
                if written.is_err() {
                    // Removes the empty file that reserved the name.
                    let _ = std::fs::remove_file(&kept);
                }
                return written.map(|()| kept);
            }
        }
    }
}
