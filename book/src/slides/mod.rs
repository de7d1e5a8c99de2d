//! The slides of the sessions: `book/slides/session-N.md`, filled like chapters, as one page for each session.
//!
//! [`plan`] reads what the chapter for teachers plans, [`deck`] divides a file into slides, and `page` makes the page. A page
//! contains all that it needs, so that a single file is enough in a room without a network.

pub mod deck;
pub(crate) mod frame;
pub(crate) mod page;
pub mod plan;

use crate::fill::{Sources, TEACHERS_CHAPTER};
use anyhow::{Context, Result, anyhow};
use frame::Frame;
pub use page::Links;
use plan::{Plan, SESSIONS};
use std::fs;
use std::path::{Path, PathBuf};

/// The chapter with the plans.
pub const CHAPTER: &str = TEACHERS_CHAPTER;
/// The folder of the slides: of their texts in the book, and of their pages among the book's pages.
pub const FOLDER: &str = "slides";

/// Writes the slides of all sessions, or of one, to a folder, and returns the pages.
///
/// # Errors
/// Returns an error, which names file and line, if a directive cannot be replaced or if slides differ from their plan; or an error if a
/// file cannot be read or written.
pub fn write(root: &Path, folder: &Path, session: Option<usize>, links: Links<'_>) -> Result<Vec<PathBuf>> {
    let frame = Frame::read(root)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot write to {}", folder.display()))?;
    let one = |session| {
        let file = folder.join(name(session)).with_extension("html");
        let page = page(root, session, &frame, links)?;
        fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    };
    session.map_or(1..=SESSIONS, |session| session..=session).map(one).collect()
}

/// Returns the name of a session's text and page: `session-1`.
pub fn name(session: usize) -> String {
    format!("session-{session}")
}

fn page(root: &Path, session: usize, frame: &Frame, links: Links<'_>) -> Result<String> {
    let read = |file: &Path| fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
    let chapter = root.join("text").join(CHAPTER);
    let file = root.join(FOLDER).join(name(session)).with_extension("md");
    let plan = Plan::parse(&read(&chapter)?, session).with_context(|| chapter.display().to_string())?;
    let text = read(&file)?;
    let slides = deck::slides(&text);
    deck::require_parts(&slides, &plan).map_err(|error| anyhow!("{}:{error}", file.display()))?;
    let sources = Sources { book: root.into(), omits_solutions: false };
    page::Maker { sources: &sources, file: &file, links }.page(session, &plan, &slides, frame)
}
