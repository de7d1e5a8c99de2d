//! The book as a site for any static host, from which nothing is needed but files: with the compiler, a content security
//! policy, and a service worker that keeps the pages for readers without a network.

mod offline;
mod policy;

use crate::build::{self, Edition};
use crate::compiler::{self, Form};
use crate::sheets;
use crate::slides::{self, Links};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::str::FromStr;

/// The style that hides the button of an exercise that shows its solution.
const NO_BUTTON: &str = "<style>[data-editor=\"solution\"] { display: none }</style>\n";

const NO_PLACE: &str = "give the site's address, https://example.org/course/, or its path at the host, /course/";

/// The file that stops GitHub Pages from processing the pages. It marks a folder as a site.
const MARK: &str = ".nojekyll";

/// The place of a site, as `--at` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The path at its host, `/` or `/coalesced/`, for the page about missing pages: all other links are relative.
    path: String,
    /// The whole address, for the QR codes of slides: `https://example.org/coalesced/`.
    address: Option<String>,
}

impl At {
    /// Returns the whole address.
    ///
    /// # Errors
    /// Returns an error if only a path is known.
    pub fn address(&self) -> Result<&str> {
        self.address.as_deref().context("links from elsewhere need a whole address: --at https://example.org/course/")
    }
}

impl FromStr for At {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let whole = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
        let Some((scheme, rest)) = whole.split_once("://") else {
            return if whole.starts_with('/') { Ok(Self { path: whole, address: None }) } else { Err(NO_PLACE) };
        };
        match rest.find('/') {
            Some(1..) if matches!(scheme, "http" | "https") => {
                let path = rest[rest.find('/').unwrap_or_default()..].to_owned();
                Ok(Self { path, address: Some(whole) })
            }
            _ => Err(NO_PLACE),
        }
    }
}

/// Builds the book in `root` as a site in `folder`, whose earlier site is replaced. With a compiler, kernels can be compiled in the
/// pages. A site for graded exercises omits their solutions.
///
/// # Errors
/// Returns an error if the folder has other files, if the book cannot be built, if there is no compiler for it, or if a file
/// cannot be written.
pub fn write(root: &Path, folder: &Path, at: &At, has_compiler: bool, omits_solutions: bool) -> Result<()> {
    require_own(folder)?;
    let links = at.address.as_deref().map_or(Links::ToBook, Links::ToBookAt);
    let folder = build::build_at(root, folder, &at.path, Edition { links, omits_solutions })?;
    offline::add_script(root, &folder)?;
    let hidden = if omits_solutions { NO_BUTTON } else { "" };
    build::change_pages(&folder, |page| {
        Ok(policy::add(&offline::register(&page.replacen("</head>", &format!("{hidden}</head>"), 1))))
    })?;
    for pages in [slides::FOLDER, sheets::FOLDER].map(|name| folder.join(name)).iter().filter(|pages| pages.is_dir()) {
        build::change_pages(pages, |page| Ok(policy::add(page)))?;
    }
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
    fn a_place_is_an_address_or_a_path() {
        let at = |text: &str| text.parse::<At>().map(|at| (at.path, at.address));
        assert_eq!(at("/"), Ok(("/".into(), None)));
        assert_eq!(at("/course"), Ok(("/course/".into(), None)));
        let whole = "https://example.org/a/b/".to_owned();
        assert_eq!(at("https://example.org/a/b"), Ok(("/a/b/".into(), Some(whole))));
        assert_eq!(at("http://[::1]:80"), Ok(("/".into(), Some("http://[::1]:80/".into()))));
        for wrong in ["course", "ftp://example.org/", "https:///a", "example.org/course/"] {
            assert_eq!(at(wrong), Err(NO_PLACE), "{wrong}");
        }
    }

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
