//! The built pages of a folder.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Replaces each page of a folder by what `change` makes of it.
///
/// # Errors
/// Returns the first error of `change`, or an error if a page cannot be read or written.
pub fn change(folder: &Path, change: impl Fn(&str) -> Result<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "html") {
            let page = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            fs::write(&file, change(&page)?).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}
