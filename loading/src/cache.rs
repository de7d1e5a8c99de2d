//! The folder of what is fetched or made once for a user and can be made again.

use std::path::PathBuf;

/// Why there is none.
pub const NO_CACHE: &str = if cfg!(windows) {
    "neither XDG_CACHE_HOME nor LOCALAPPDATA names a folder"
} else {
    "neither HOME nor XDG_CACHE_HOME names a folder"
};

/// `~/.cache/coalesced`, on Windows `coalesced` in `LOCALAPPDATA`, or where `XDG_CACHE_HOME` says; `None` for a user without
/// a home.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let own = || match cfg!(windows) {
        true => absolute("LOCALAPPDATA"),
        false => Some(absolute("HOME")?.join(".cache")),
    };
    Some(absolute("XDG_CACHE_HOME").or_else(own)?.join("coalesced"))
}
