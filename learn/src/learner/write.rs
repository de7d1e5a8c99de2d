//! Files that are there whole or not at all.

use crate::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file in one step: beside its place, to the disk, and then into its place. Where that fails, the old file is as
/// it was.
///
/// # Errors
/// No room, no right to write, no folder.
pub fn write_whole(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(folder)?;
        file.write_all(text.as_ref())?;
        file.as_file().sync_all()?;
        allow_reading(file.as_file())?;
        file.persist(path).map_err(|error| error.error)
    };
    write().map(drop).map_err(Error::file("write", path))
}

/// Temporary files are for their owner alone; the learner's are as files usually are.
#[cfg(unix)]
fn allow_reading(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Keeps a file under the first free name `NAME.before-1`, `NAME.before-2`, …, and returns that name. The file itself stays.
///
/// # Errors
/// It cannot be read, or there is no room.
pub fn keep_before(path: &Path) -> Result<PathBuf, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 1;
    loop {
        let kept = path.with_file_name(format!("{name}.before-{number}"));
        // Taken first, so that of two programs neither writes over the other's.
        match std::fs::File::create_new(&kept) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(Error::file("write", kept)(error)),
            Ok(_) => {
                let bytes = std::fs::read(path).map_err(Error::file("read", path));
                let written = bytes.and_then(|bytes| write_whole(&kept, bytes));
                if written.is_err() {
                    // The empty file that held the name.
                    let _ = std::fs::remove_file(&kept);
                }
                return written.map(|()| kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_was_there_is_kept_under_the_next_free_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("11_guard.cu");
        for text in ["first", "second"] {
            write_whole(&file, text).expect("it is written");
            keep_before(&file).expect("it is kept");
        }
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
        assert_eq!([text("11_guard.cu.before-1"), text("11_guard.cu.before-2")], ["first", "second"]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "nothing else is left");
    }

    #[test]
    fn folder_that_is_not_there_is_named() {
        let error = write_whole(Path::new("/no/such/folder/file"), "").unwrap_err().to_string();
        assert!(error.starts_with("cannot write /no/such/folder/file: "), "{error}");
    }
}
