//! Pinned Python wheels, by which compilers are published that no package of this workspace contains.

use std::path::PathBuf;

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
        Some(crate::cache_folder()?.join(self.tool).join(self.version))
    }

    /// Returns the path of the library or program, which need not exist.
    #[must_use]
    pub fn kept_file(&self) -> Option<PathBuf> {
        Some(self.folder()?.join(self.file))
    }
}
