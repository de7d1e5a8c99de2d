//! The user's cache folder, for files that can be downloaded or created again, and the pinned Python wheels in it, by which
//! compilers are published that no package of this workspace contains.

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

/// A Python wheel, and the one file in it that is used. It is kept in the user's cache folder and not in `target`, so that it
/// survives `cargo clean` and one copy serves all checkouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The purpose of the files, as the cache's folder is named: `nvrtc`.
    pub tool: &'static str,
    /// The name of the Python package.
    pub package: &'static str,
    /// The version of the package: `12.1.105`.
    pub version: &'static str,
    /// Python's name for the platform.
    pub platform: &'static str,
    /// The SHA-256 of the wheel in lower-case hexadecimal.
    pub sha256: &'static str,
    /// The path of the library or program in the wheel.
    pub file: &'static str,
    /// Whether only [`Self::file`] is unpacked, and not the whole wheel.
    pub is_alone: bool,
    /// The size of the download in 10^6 bytes.
    pub megabytes: u32,
}

impl Wheel {
    /// Returns the folder in which the wheel is unpacked, `~/.cache/coalesced/nvrtc/12.1.105`; `None` for a user without a home
    /// folder.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        Some(cache_folder()?.join(self.tool).join(self.version))
    }

    /// Returns the path of the library or program, which need not exist.
    #[must_use]
    pub fn kept_file(&self) -> Option<PathBuf> {
        Some(self.folder()?.join(self.file))
    }
}
