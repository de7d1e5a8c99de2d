//! The preprocessor, which replaces directives, `{{word argument …}}`, by content from kernels, records and figures.
//! `directives.rs` lists them.

mod attention;
mod block_starts;
mod cache;
pub(crate) mod card;
mod chart;
pub(crate) mod chip;
mod costs;
mod counters;
mod devices;
mod diff;
mod differences;
mod directives;
pub(crate) mod entry_points;
pub(crate) mod exercises;
mod explorer;
mod fastest_kernels;
mod faults;
mod figure;
mod formula;
pub(crate) mod kernels;
mod ladder;
mod languages;
mod latency;
mod lines;
pub(crate) mod many;
mod minutes;
pub(crate) mod notation;
pub(crate) mod packed;
mod peaks;
mod physics;
mod planted;
mod player;
mod plot;
pub(crate) mod profile;
mod recorded;
pub(crate) mod records;
mod results;
mod roofline;
mod sizes;
pub(crate) mod source;
mod sweep;
mod trace;
mod traffic;
pub(crate) mod twins;
mod variants;
pub(crate) mod version;

use anyhow::{Result, bail};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use std::path::{Path, PathBuf};

/// The preprocessor that `book.toml` names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Course {
    /// Whether solutions and answers of exercises are left out.
    pub omits_solutions: bool,
}

impl Preprocessor for Course {
    fn name(&self) -> &str {
        "course"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let sources = Sources { book: context.root.clone(), omits_solutions: self.omits_solutions };
        let text = context.root.join(&context.config.book.src);
        let mut failures = Vec::new();
        book.for_each_chapter_mut(|chapter| {
            let Some(path) = chapter.source_path.as_ref() else { return };
            match sources.fill(&text.join(path), &chapter.content) {
                Ok(content) if self.omits_solutions => chapter.content = without_answers(path, &content),
                Ok(content) => chapter.content = content,
                Err(error) => failures.push(format!("{error:#}")),
            }
        });
        if failures.is_empty() { Ok(book) } else { bail!("{}", failures.join("\n")) }
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(renderer == "html")
    }
}

/// The chapter for teachers, which has the plan of the sessions and the test.
pub const TEACHERS_CHAPTER: &str = "teaching.md";

/// Returns a chapter without folded answers to exercises and to the test of a class, and without links to what is for teachers.
fn without_answers(path: &Path, chapter: &str) -> String {
    const BEGIN: &str = "<details>\n<summary>Answer";
    const END: &str = "</details>\n";
    let name = path.to_string_lossy();
    if !(name.starts_with("exercises-") || name == "first-kernels.md" || name == TEACHERS_CHAPTER) {
        return chapter.to_owned();
    }
    let mut parts = chapter.split(BEGIN);
    let first = parts.next().unwrap_or_default().to_owned();
    let rest: String = parts.filter_map(|part| Some(part.split_once(END)?.1)).collect();
    let whole = first + &rest;
    let paragraphs = whole.split("\n\n").filter(|paragraph| !paragraph.contains("](sheets/instructor.html)"));
    let line =
        |line: &str| line.split_once(", [the slides](").map_or(line.to_owned(), |(sheet, _)| format!("{sheet}."));
    paragraphs.collect::<Vec<_>>().join("\n\n").lines().map(|text| line(text) + "\n").collect()
}

/// The sources of directives.
pub(crate) struct Sources {
    /// The folder of `book.toml`. `results` and the stages are next to it.
    pub(crate) book: PathBuf,
    /// Whether solutions and answers of exercises are left out.
    pub(crate) omits_solutions: bool,
}

impl Sources {
    /// Returns the chapter with its directives replaced.
    fn fill(&self, file: &Path, chapter: &str) -> Result<String> {
        let mut filled = String::with_capacity(chapter.len());
        let mut failures = Vec::new();
        for (number, line) in (1..).zip(chapter.lines()) {
            match self.fill_line(line) {
                Ok(line) => filled += &line,
                Err(error) => failures.push(format!("{}:{number}: {error:#}", file.display())),
            }
            filled.push('\n');
        }
        for stage in kernels::STAGES {
            // The mark of an editable listing ends so, and the beginning of a player does not.
            let is_edited = filled.contains(&format!("data-stage=\"{}\"><code>", stage.name));
            if is_edited && !filled.contains(&format!("class=\"player\" data-stage=\"{}\"", stage.name)) {
                filled += "\n";
                filled += &player::scenes_alone(stage)?;
            }
        }
        if filled.contains("class=\"player\"") || filled.contains("class=\"explorer\"") {
            filled += "\n";
            filled += &packed::emulator(&self.book)?;
        }
        if failures.is_empty() { Ok(filled) } else { bail!("{}", failures.join("\n")) }
    }

    /// Returns a line of a chapter with its directives replaced.
    ///
    /// # Errors
    /// Returns an error if a directive cannot be replaced.
    pub(crate) fn fill_line(&self, line: &str) -> Result<String> {
        let mut filled = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else { bail!("{{{{ without }}}}") };
            filled += before;
            let alone = line.starts_with("{{") && line.ends_with("}}") && line.matches("{{").count() == 1;
            match self.expand(inside, alone) {
                Ok(text) => filled += &text,
                Err(error) => bail!("{{{{{inside}}}}}: {error:#}"),
            }
            rest = after;
        }
        Ok(filled + rest)
    }
}
