//! A text with and without its directives replaced.

use super::{Report, line_of};
use crate::fill::Sources;
use mdbook_markdown::pulldown_cmark::{Event, OffsetIter};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};

/// A Markdown file.
pub struct Document {
    /// The path from the root of the repository: `book/text/stage01-naive.md`.
    pub file: String,
    /// The text of the file.
    pub text: String,
    /// The text with its directives replaced.
    pub shown: String,
    /// The line of `text` from which each line of `shown` comes.
    origins: Vec<usize>,
}

impl Document {
    /// Makes a document of a text without directives.
    pub fn from_text(file: &str, text: String) -> Self {
        let origins = (1..=text.lines().count()).collect();
        Self { file: file.into(), shown: text.clone(), text, origins }
    }

    /// Makes a document of a chapter. Reports the directives that the build would refuse.
    pub fn from_chapter(file: &str, text: String, sources: &Sources, report: &mut Report) -> Self {
        let mut shown = String::new();
        let mut origins = Vec::new();
        let mut is_below_html = false;
        for (number, line) in (1..).zip(text.lines()) {
            let filled = sources.fill_line(line).unwrap_or_else(|error| {
                report.add(file, number, format!("{error:#}"));
                String::new()
            });
            if is_below_html && !line.is_empty() && !filled.starts_with('<') {
                report.add(
                    file,
                    number,
                    "Markdown below HTML begins after an empty line, or is shown as it is written",
                );
            }
            is_below_html = line.starts_with("{{") && filled.starts_with('<');
            origins.extend(filled.split('\n').map(|_| number));
            shown += &filled;
            shown.push('\n');
        }
        Self { file: file.into(), text, shown, origins }
    }

    /// Returns the name of the file: `stage01-naive.md`.
    pub fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }

    /// Returns the events of the page's Markdown, with their ranges in `shown`.
    pub fn events(&self) -> OffsetIter<'_> {
        events(&self.shown)
    }

    /// Returns the line of the file from which a byte of `shown` comes.
    pub fn origin(&self, offset: usize) -> usize {
        let line = line_of(&self.shown, offset);
        self.origins.get(line - 1).or(self.origins.last()).copied().unwrap_or(1)
    }

    /// Returns the directives of the file, `{{word argument …}}`, each as its words.
    pub fn directives(&self) -> impl Iterator<Item = Vec<&str>> {
        let inside = self.text.lines().flat_map(|line| line.split("{{").skip(1));
        let inside = inside.filter_map(|rest| Some(rest.split_once("}}")?.0));
        inside.map(|inside| inside.split_whitespace().collect())
    }
}

/// Returns the events of a Markdown text, parsed as by mdBook.
pub fn events(text: &str) -> OffsetIter<'_> {
    new_cmark_parser(text, &MarkdownOptions::default()).into_offset_iter()
}

/// Returns the text of an event; none if it is neither text nor code.
pub fn words<'a>(event: &'a Event) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}
