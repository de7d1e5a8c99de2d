//! The build of the book's pages.

use crate::editor::Editor;
use crate::fill::Course;
use crate::slides::Links;
use crate::{deferred_scripts, footer, page_data, sheets, slides};
use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;
use std::fs;
use std::path::{Path, PathBuf};

/// The choices that differ between builds of the book.
#[derive(Clone, Copy, Default)]
pub struct Edition<'a> {
    /// How slides lead to the book.
    pub links: Links<'a>,
    /// Whether solutions of exercises, answers, and what is for teachers are left out.
    pub omits_solutions: bool,
}

/// Prints mdBook's warnings to standard error, one per line.
pub fn show_warnings() {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .without_time()
        .with_ansi(false)
        .init();
}

/// Builds the book in `root`, the folder of `book.toml`, and returns the folder of its pages.
///
/// # Errors
/// Returns an error, which names file and line, if a directive cannot be replaced; or an error if a chapter is missing or if the
/// pages cannot be written.
pub fn build(root: &Path) -> Result<PathBuf> {
    render(load(root)?, Edition::default())
}

/// Builds the book in `root` for a server at an address, `http://192.0.2.1:3000/`, which its slides show.
///
/// # Errors
/// The same as for [`build`].
pub fn build_for(root: &Path, address: &str) -> Result<PathBuf> {
    render(load(root)?, Edition { links: Links::ToBookAt(address), ..Edition::default() })
}

/// Builds an edition of the book in `root` into `folder` for a site at a path of its host: `/coalesced/`.
///
/// # Errors
/// The same as for [`build`].
pub fn build_at(root: &Path, folder: &Path, path: &str, edition: Edition<'_>) -> Result<PathBuf> {
    let mut book = load(root)?;
    book.config.build.build_dir = std::path::absolute(folder)?;
    book.config.set("output.html.site-url", path)?;
    render(book, edition)
}

fn load(root: &Path) -> Result<MDBook> {
    MDBook::load(root).with_context(|| format!("cannot load the book in {}", root.display()))
}

fn render(mut book: MDBook, Edition { links, omits_solutions }: Edition<'_>) -> Result<PathBuf> {
    // This replaces the command of the same name, which would start this program again.
    book.with_preprocessor(Course { omits_solutions });
    let folder = book.build_dir_for("html");
    require_writable(&folder)?;
    book.build()?;
    finish(&folder, &Editor::pack(&book.root)?)?;
    if has_plans(&book) {
        sheets::write(&book.root, &folder.join(sheets::FOLDER), omits_solutions)?;
        if !omits_solutions {
            slides::write(&book.root, &folder.join(slides::FOLDER), None, links)?;
        }
    }
    // On Windows a canonical path begins with `\\?\`, which browsers do not open.
    let whole = if cfg!(windows) { std::path::absolute(&folder) } else { folder.canonicalize() };
    Ok(whole.unwrap_or(folder))
}

/// Returns the names of the chapters' pages in the order of the book: `first-kernels`.
///
/// # Errors
/// Returns an error if a chapter is missing.
pub fn chapters(root: &Path) -> Result<Vec<String>> {
    let name = |item: &BookItem| match item {
        BookItem::Chapter(chapter) => Some(chapter.path.as_deref()?.file_stem()?.to_string_lossy().into_owned()),
        _ => None,
    };
    Ok(load(root)?.iter().filter_map(name).collect())
}

/// Returns whether the chapter with the plans of the slides is in the book. Tests build single chapters.
fn has_plans(book: &MDBook) -> bool {
    let is_there = |item: &BookItem| matches!(item, BookItem::Chapter(chapter) if chapter.path.as_deref() == Some(Path::new(slides::CHAPTER)));
    book.iter().any(is_there)
}

/// Gives every page its footer, and takes away what it need not load at once.
fn finish(folder: &Path, editor: &Editor) -> Result<()> {
    change_pages(folder, |page| {
        let page = deferred_scripts::defer(&editor.add_to(&footer::add(page)));
        page_data::split_off(folder, &page)
    })
}

/// Replaces each page of a folder by what `change` makes of it.
///
/// # Errors
/// Returns the first error of `change`, or an error if a page cannot be read or written.
pub(crate) fn change_pages(folder: &Path, change: impl Fn(&str) -> Result<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "html") {
            let page = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            fs::write(&file, change(&page)?).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}

/// Returns the files below a folder whose names, and those of the folders around them, are wanted; sorted.
///
/// # Errors
/// Returns an error if a folder cannot be read.
pub(crate) fn files_below(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        if is_wanted(&entry.file_name().to_string_lossy()) {
            if path.is_dir() { files.extend(files_below(&path, is_wanted)?) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// Requires that the folder is writable. mdBook would otherwise delete the old pages before it fails.
fn require_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(".probe");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&probe, ""))
        .and_then(|()| fs::remove_file(&probe))
        .with_context(|| format!("cannot write the book to {}", folder.display()))
}
