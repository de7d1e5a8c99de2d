//! Loading of the library's files.
//!
//! At its first compilation, `libnvrtc.so.13` opens a second file, `libnvrtc-builtins.so.13.0`, by its name without a path. In
//! some wheels the first file has no run path, so that the loader does not search its folder, and every compilation fails with
//! NVRTC_ERROR_BUILTIN_OPERATION_FAILURE. The loader finds a file by name if it is loaded already. The second file is therefore
//! loaded in advance, from the folder of the first.

use crate::names;
use libloading::Library;
use std::path::{Path, PathBuf};

/// Loads a library for the life of the process, by its path or by a name that the system's loader finds. The error is the
/// loader's message and names the file.
pub(crate) fn open(file: &Path) -> Result<&'static Library, String> {
    // SAFETY: NVRTC's initializers have no requirements and may run on any thread.
    let library = unsafe { Library::new(file) }.map_err(|error| loading::loading_error_text(file, &error))?;
    Ok(Box::leak(Box::new(library)))
}

/// Loads the second file of the library `file` if it is in the same folder.
pub(crate) fn open_builtins(file: &Path, version: (i32, i32)) -> Result<(), String> {
    builtins(file, version).map_or(Ok(()), |file| open(&file).map(|_stays_loaded| ()))
}

/// Returns the second file; none for a library that the system's loader found, because the loader finds both.
fn builtins(file: &Path, version: (i32, i32)) -> Option<PathBuf> {
    // A link to the library may be in another folder.
    let file = file.canonicalize().ok()?;
    let name = names::second_file(file.file_name()?.to_str()?, version)?;
    Some(file.with_file_name(name)).filter(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn builtins_are_of_the_version_and_in_the_folder_of_the_file_itself() {
        let folder = std::env::temp_dir().join(format!("coalesced-builtins-{}", std::process::id()));
        fs::create_dir_all(folder.join("lib")).expect("a folder");
        for name in ["lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0", "lib/libnvrtc-builtins.so.13.5"] {
            fs::write(folder.join(name), "").expect("a file");
        }
        let folder = folder.canonicalize().expect("it exists");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.join("lib/libnvrtc.so.13"), folder.join("link.so")).expect("a link");
        let beside = |name: &str, version| builtins(&folder.join(name), version);
        assert_eq!(beside("lib/libnvrtc.so.13", (13, 0)), Some(folder.join("lib/libnvrtc-builtins.so.13.0")));
        #[cfg(unix)]
        assert_eq!(beside("link.so", (13, 5)), Some(folder.join("lib/libnvrtc-builtins.so.13.5")));
        assert_eq!(beside("lib/libnvrtc.so.13", (13, 1)), None);
        assert_eq!(builtins(Path::new("libnvrtc.so.13"), (13, 0)), None);
        fs::remove_dir_all(folder).expect("the folder");
    }
}
