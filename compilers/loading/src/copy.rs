//! Copies of libraries under the names that Windows identifies them by.
//!
//! A copy is in a separate folder. Next to the program or on the PATH it would be mistaken for NVIDIA's library. The folder's
//! name identifies the build, because Windows does not replace a file in use. For the same reason programs do not load cargo's
//! own file, which cargo could then not build again.

use crate::cache_folder;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Returns the copy of `file` with the name `name`, which is created if necessary.
pub(crate) fn copy_as(file: &Path, name: &str) -> Result<PathBuf, String> {
    let beside = file.parent().map(Path::to_owned);
    let elsewhere = || [cache_folder().map(|folder| folder.join("libraries")), Some(std::env::temp_dir())];
    copy_in(file, name, beside.into_iter().chain(elsewhere().into_iter().flatten())).map_err(|error| error.to_string())
}

/// Tries the folders in order, because the first may be read-only.
fn copy_in(file: &Path, name: &str, folders: impl Iterator<Item = PathBuf>) -> io::Result<PathBuf> {
    let about = file.metadata()?;
    let time = about.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let prefix = format!("{}.copy-", file.file_stem().unwrap_or_default().to_string_lossy());
    let build = format!("{prefix}{:x}-{:x}", about.len(), time.as_nanos());
    let mut failed = None;
    for folder in folders {
        match copy(file, &folder.join(&build), name) {
            Ok((copy, is_new)) => {
                if is_new {
                    remove_others(&folder, &prefix, &build);
                }
                return Ok(copy);
            }
            Err(error) => _ = failed.get_or_insert(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Returns the copy, and whether this call has created it. Other programs may create it concurrently.
fn copy(file: &Path, folder: &Path, name: &str) -> io::Result<(PathBuf, bool)> {
    let copy = folder.join(name);
    if copy.is_file() {
        return Ok((copy, false));
    }
    fs::create_dir_all(folder)?;
    let program = std::process::id();
    let thread = std::thread::current().id();
    let unfinished = folder.join(format!("{name}.{program}-{thread:?}"));
    let made = fs::copy(file, &unfinished).and_then(|_| fs::rename(&unfinished, &copy));
    match made {
        Ok(()) => Ok((copy, true)),
        Err(error) => {
            let _ = fs::remove_file(&unfinished);
            // Another program was faster, and may already use its copy.
            if copy.is_file() { Ok((copy, false)) } else { Err(error) }
        }
    }
}

/// Removes copies of other builds. Windows keeps those in use.
fn remove_others(folder: &Path, prefix: &str, build: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_other = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix) && name != build);
        if is_other && let Ok(files) = fs::read_dir(entry.path()) {
            for file in files.flatten() {
                let _ = fs::remove_file(file.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(folder: &Path, text: &str) -> PathBuf {
        fs::create_dir_all(folder).expect("a folder");
        let file = folder.join("emulator_driver.dll");
        fs::write(&file, text).expect("a file");
        file
    }

    #[test]
    fn a_copy_is_created_once_and_removed_when_the_library_is_built_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("Gerät von Zoë");
        let make = |file: &Path| copy_in(file, "cuda.dll", std::iter::once(place.clone())).expect("a copy");
        let file = library(&place, "first");
        let first = make(&file);
        assert_eq!((make(&file), fs::read_to_string(&first).expect("a copy")), (first.clone(), "first".into()));
        let second = make(&library(&place, "the second"));
        assert_eq!(fs::read_to_string(&second).expect("a copy"), "the second");
        assert!(second != first && !first.parent().expect("a folder").exists());
        assert_eq!(second.file_name(), Some("cuda.dll".as_ref()));
        assert!(file.is_file());
    }

    #[test]
    fn a_read_only_folder_is_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = library(folder.path(), "library");
        // A file in place of a folder, because root may write to any folder.
        let no_folder = file.clone();
        let other = folder.path().join("other");
        let made = copy_in(&file, "cuda.dll", [no_folder.clone(), other.clone()].into_iter()).expect("a copy");
        assert!(made.starts_with(&other));
        assert!(copy_in(&file, "cuda.dll", std::iter::once(no_folder)).is_err());
    }

    #[test]
    fn concurrent_programs_get_the_same_complete_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = library(folder.path(), &"x".repeat(1 << 20));
        let get = || copy_in(&file, "cuda.dll", std::iter::once(folder.path().to_owned())).expect("a copy");
        std::thread::scope(|scope| {
            for one in [0; 4].map(|_| scope.spawn(|| fs::metadata(get()).expect("a copy").len())) {
                assert_eq!(one.join().expect("no panic"), 1 << 20);
            }
        });
        assert_eq!(fs::read_dir(get().parent().expect("a folder")).expect("a folder").count(), 1);
    }
}
