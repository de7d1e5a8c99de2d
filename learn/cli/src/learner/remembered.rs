//! The learner's folder that was started last, so that `cargo learn` finds it from anywhere. Its path is in the file
//! `coalesced/exercises` of the user's state directory.

use super::write::write_whole;
use std::path::{Path, PathBuf};

fn file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    let state = state.or_else(|| absolute("LOCALAPPDATA"));
    Some(state?.join("coalesced").join("exercises"))
}

/// Remembers a folder. Returns whether it will be found again.
pub fn remember(folder: &Path) -> bool {
    let write = || {
        let file = file()?;
        let folder = folder.canonicalize().ok()?;
        std::fs::create_dir_all(file.parent()?).ok()?;
        write_whole(&file, folder.to_str()?).ok()
    };
    write().is_some()
}

/// Returns the remembered folder, which may no longer exist.
pub fn recall() -> Option<PathBuf> {
    let folder = std::fs::read_to_string(file()?).ok()?;
    Some(PathBuf::from(folder))
}
