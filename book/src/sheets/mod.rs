//! The sheets of a class, made of the slides, the exercises' cards and the chapter for teachers: for each session the predictions
//! to write down, the test before and after, and a page with all answers for the instructor.
//!
//! `questions` collects what is asked, and `page` makes the pages.

mod page;
mod questions;

use crate::fill::Sources;
use crate::slides::page::Maker;
use crate::slides::plan::{Plan, SESSIONS};
use crate::slides::{self, CHAPTER, Links, deck, frame};
use anyhow::{Context, Result};
use page::Paper;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the sheets among the book's pages.
pub const FOLDER: &str = "sheets";

/// The name of the page with all answers.
pub const INSTRUCTOR: &str = "instructor";

/// Writes the sheets to a folder, with the instructor's page unless it is left out, and returns the pages.
///
/// # Errors
/// Returns an error, which names file and line, if a directive cannot be replaced; or an error if a file cannot be read or written.
pub fn write(root: &Path, folder: &Path, omits_solutions: bool) -> Result<Vec<PathBuf>> {
    let read = |file: &Path| fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
    fs::create_dir_all(folder).with_context(|| format!("cannot write to {}", folder.display()))?;
    let sources = Sources { book: root.into(), omits_solutions };
    let chapter_file = root.join("text").join(CHAPTER);
    let chapter = read(&chapter_file)?;
    let paper = Paper { styles: frame::styles(root, &page::STYLES)? };
    let mut pages = Vec::new();
    let mut answers = String::new();
    for session in 1..=SESSIONS {
        let file = root.join(slides::FOLDER).join(slides::name(session)).with_extension("md");
        let plan = Plan::parse(&chapter, session).with_context(|| chapter_file.display().to_string())?;
        let maker = Maker { sources: &sources, file: &file, links: Links::ToBook };
        let asked = questions::of_deck(&maker, &deck::slides(&read(&file)?))?;
        pages.push((slides::name(session), paper.sheet(&plan.title, &asked)));
        answers += &page::answers(&plan.title, &asked);
    }
    let maker = Maker { sources: &sources, file: &chapter_file, links: Links::ToBook };
    let test = questions::of_test(&maker, &chapter)?;
    pages.push(("test".into(), paper.test(&test)));
    answers += &page::answers(page::TEST, &test);
    if !omits_solutions {
        pages.push((INSTRUCTOR.into(), paper.instructor(&answers)));
    }
    let one = |(name, page): (String, String)| {
        let file = folder.join(name).with_extension("html");
        fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    };
    pages.into_iter().map(one).collect()
}
