//! The folder that was begun last, for `cargo x learn` in any folder: a file of the user, `coalesced/exercises`, where the
//! system keeps what programs remember.

use super::write::write_whole;
use std::path::{Path, PathBuf};

fn file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    let state = state.or_else(|| absolute("LOCALAPPDATA"));
    Some(state?.join("coalesced").join("exercises"))
}

/// Remembers a folder; whether it will be found again.
pub fn remember(folder: &Path) -> bool {
    let write = || {
        let (file, folder) = (file()?, folder.canonicalize().ok()?);
        std::fs::create_dir_all(file.parent()?).ok()?;
        write_whole(&file, folder.to_str()?).ok()
    };
    write().is_some()
}

/// The folder, wherever it is now.
pub fn remembered() -> Option<PathBuf> {
    let folder = std::fs::read_to_string(file()?).ok()?;
    Some(PathBuf::from(folder))
}
