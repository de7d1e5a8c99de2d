//! From the folder of the book to its pages.

use crate::carry;
use crate::fill::Course;
use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use std::fs;
use std::path::{Path, PathBuf};

/// Shows mdBook's warnings on standard error, one per line.
pub fn show_warnings() {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .without_time()
        .with_ansi(false)
        .init();
}

/// Builds the book that lies in `root` (the folder of `book.toml`) and returns the folder of its pages.
///
/// # Errors
/// When a directive cannot be met, naming file and line; when a chapter is missing; when the pages cannot be written.
pub fn build(root: &Path) -> Result<PathBuf> {
    render(load(root)?)
}

/// Builds the book that lies in `root` into `folder`, in place of the one that `book.toml` names.
///
/// # Errors
/// As [`build`].
pub fn build_into(root: &Path, folder: &Path) -> Result<PathBuf> {
    let mut book = load(root)?;
    book.config.build.build_dir = folder.to_path_buf();
    render(book)
}

fn load(root: &Path) -> Result<MDBook> {
    MDBook::load(root).with_context(|| format!("cannot load the book in {}", root.display()))
}

fn render(mut book: MDBook) -> Result<PathBuf> {
    // in place of the command of the same name, which would start this program a second time
    book.with_preprocessor(Course);
    let folder = book.build_dir_for("html");
    require_writable(&folder)?;
    book.build()?;
    carry::apart(&folder)?;
    // Windows would begin the path with `\\?\`, which browsers do not open.
    let whole = if cfg!(windows) { std::path::absolute(&folder) } else { folder.canonicalize() };
    Ok(whole.unwrap_or(folder))
}

/// mdBook clears the folder before it writes, so that one that it may not write is found here, with its pages intact.
fn require_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(".probe");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&probe, ""))
        .and_then(|()| fs::remove_file(&probe))
        .with_context(|| format!("cannot write the book to {}", folder.display()))
}
