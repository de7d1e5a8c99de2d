//! Loading the library's files.
//!
//! `libnvrtc.so.13` opens a second file, `libnvrtc-builtins.so.13.0`, when it first compiles, by that name alone. Some
//! wheels give the first file no run path, so that the loader does not look beside it, and every compilation ends in
//! NVRTC_ERROR_BUILTIN_OPERATION_FAILURE. A file that is loaded already is found by its name wherever it lies: so it is
//! loaded first, from the folder of the library.

use crate::names;
use libloading::Library;
use std::path::{Path, PathBuf};

/// Loads a library for the life of the process, by its path or by a name that the system's loader knows. An error is
/// the loader's, and names the file.
pub(crate) fn open(file: &Path) -> Result<&'static Library, String> {
    // SAFETY: NVRTC's initializers take no input of ours and may run on any thread.
    let library = unsafe { Library::new(file) }.map_err(|error| loading::not_loaded(file, &error))?;
    Ok(Box::leak(Box::new(library)))
}

/// Loads the second file of the library `file`, where it lies beside it.
pub(crate) fn open_builtins(file: &Path, version: (i32, i32)) -> Result<(), String> {
    builtins(file, version).map_or(Ok(()), |file| open(&file).map(|_stays_loaded| ()))
}

/// The second file; none for a library that the system's loader found, which finds the second one as well.
fn builtins(file: &Path, version: (i32, i32)) -> Option<PathBuf> {
    // a link to the library may lie elsewhere
    let file = file.canonicalize().ok()?;
    let name = names::second_file(file.file_name()?.to_str()?, version)?;
    Some(file.with_file_name(name)).filter(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn builtins_are_those_of_the_version_beside_the_file_itself() {
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
