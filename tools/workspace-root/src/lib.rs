//! The folder of the workspace, from which programs and tests join paths.

use std::path::{Path, PathBuf};

/// Returns the folder of the workspace: of the package that cargo started, or of this package if cargo started none.
///
/// The started package comes first because checkouts that share a target folder also share this code.
///
/// # Panics
/// Panics if no folder above the package contains the stages.
#[must_use]
pub fn workspace_root() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| built.to_owned(), PathBuf::from);
    root_of(&package).or_else(|| root_of(built)).expect("a checkout has stages").to_owned()
}

/// Returns the nearest folder above a package that contains the stages.
fn root_of(package: &Path) -> Option<&Path> {
    package.ancestors().find(|folder| folder.join("stage01-naive").is_dir())
}
