//! The book as a site for any static host, from which nothing is needed but files: with the compiler, a content security
//! policy, and a service worker that keeps the pages for readers without a network.

mod offline;
mod policy;

use crate::compiler::{self, Form};
use crate::{build, slides};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// The file that stops GitHub Pages from processing the pages. It marks a folder as a site.
const MARK: &str = ".nojekyll";

/// Builds the book in `root` as a site in `folder`, whose earlier site is replaced. `at` is the path of the site at its host, `/` or
/// `/coalesced/`, for the page about missing pages: all other links are relative. With a compiler, kernels can be compiled in the pages.
///
/// # Errors
/// Returns an error if the folder has other files, if the book cannot be built, if there is no compiler for it, or if a file
/// cannot be written.
pub fn write(root: &Path, folder: &Path, at: &str, has_compiler: bool) -> Result<()> {
    require_own(folder)?;
    let folder = build::build_at(root, folder, at)?;
    offline::add_script(root, &folder)?;
    build::change_pages(&folder, |page| Ok(policy::add(&offline::register(page))))?;
    build::change_pages(&folder.join(slides::FOLDER), |page| Ok(policy::add(page)))?;
    // The list of files does without the compiler.
    offline::add_worker(root, &folder)?;
    if has_compiler {
        compiler::copy_to(&folder, Form::Compressed)?;
    }
    fs::write(folder.join(MARK), "").with_context(|| format!("cannot write to {}", folder.display()))
}

/// Requires that a folder is new, empty, or an earlier site: its contents are removed.
fn require_own(folder: &Path) -> Result<()> {
    let is_empty =
        fs::read_dir(folder).map_or(Ok(true), |mut entries| entries.next().transpose().map(|one| one.is_none()));
    if !is_empty.with_context(|| format!("cannot read {}", folder.display()))? && !folder.join(MARK).is_file() {
        bail!("{} has other files, which would be removed: name a new folder", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        require_own(&folder.path().join("new")).expect("a new folder");
        require_own(folder.path()).expect("an empty folder");
        fs::write(folder.path().join("thesis.txt"), "").expect("a file");
        let error = require_own(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("name a new folder"), "{error}");
        fs::write(folder.path().join(MARK), "").expect("a file");
        require_own(folder.path()).expect("an earlier site");
    }
}
