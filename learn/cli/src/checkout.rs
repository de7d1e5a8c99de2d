//! The checkout in which the program was started.

use std::path::{Path, PathBuf};

/// Returns the root of the checkout in which `cargo learn` was started. If cargo did not start this program, returns the checkout
/// around the current folder, and otherwise the one in which the program was built. That one comes last because checkouts that
/// share a target folder also share this program.
#[must_use]
pub fn root() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let started = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let folders = [started, std::env::current_dir().ok(), Some(built.clone())];
    folders.into_iter().flatten().find_map(|folder| root_around(&folder).map(Path::to_owned)).unwrap_or(built)
}

/// Returns the root of the checkout around a folder.
fn root_around(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join("stage01-naive/Cargo.toml").is_file())
}
