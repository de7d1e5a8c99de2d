//! The user's cache folder, for files that can be downloaded or created again.

use std::path::PathBuf;

/// The reason why there is no cache folder.
pub const NO_CACHE: &str = if cfg!(windows) {
    "neither XDG_CACHE_HOME nor LOCALAPPDATA names a folder"
} else {
    "neither HOME nor XDG_CACHE_HOME names a folder"
};

/// Returns the folder `coalesced` in `XDG_CACHE_HOME`, by default in `~/.cache` or, on Windows, in `LOCALAPPDATA`. Returns
/// `None` for a user without a home folder.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = || if cfg!(windows) { absolute("LOCALAPPDATA") } else { Some(absolute("HOME")?.join(".cache")) };
    Some(absolute("XDG_CACHE_HOME").or_else(own)?.join("coalesced"))
}
