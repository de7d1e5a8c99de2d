//! A text as it is written and as its page is made.

use super::{Report, line_of};
use crate::fill::Sources;
use mdbook_markdown::pulldown_cmark::{Event, OffsetIter};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};

/// A Markdown file.
pub struct Document {
    /// From the root of the repository, `book/text/stage01-naive.md`.
    pub file: String,
    /// As it is written.
    pub text: String,
    /// With its directives replaced.
    pub shown: String,
    /// The line of `text` from which each line of `shown` comes.
    origins: Vec<usize>,
}

/// `{{word argument …}}` in a chapter.
pub struct Directive<'a> {
    pub line: usize,
    pub words: Vec<&'a str>,
}

impl Document {
    /// A text without directives.
    pub fn plain(file: &str, text: String) -> Self {
        let origins = (1..=text.lines().count()).collect();
        Self { file: file.into(), shown: text.clone(), text, origins }
    }

    /// A chapter; directives that cannot be met are reported as the build would refuse them.
    pub fn filled(file: &str, text: String, sources: &Sources, report: &mut Report) -> Self {
        let (mut shown, mut origins) = (String::new(), Vec::new());
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

    /// `stage01-naive.md`
    pub fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }

    /// The page's Markdown as mdBook reads it, with places in `shown`.
    pub fn events(&self) -> OffsetIter<'_> {
        events(&self.shown)
    }

    /// The line of the file from which a byte of `shown` comes.
    pub fn origin(&self, offset: usize) -> usize {
        let line = line_of(&self.shown, offset);
        self.origins.get(line - 1).or(self.origins.last()).copied().unwrap_or(1)
    }

    /// The directives that a reader of the file sees.
    pub fn directives(&self) -> impl Iterator<Item = Directive<'_>> {
        (1..).zip(self.text.lines()).flat_map(|(line, text)| {
            let inside = text.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0));
            inside.map(move |inside| Directive { line, words: inside.split_whitespace().collect() })
        })
    }

    /// What the page shows of a line of the file.
    pub fn shown_of(&self, line: usize) -> String {
        let lines = self.shown.lines().zip(&self.origins);
        lines.filter(|&(_, &origin)| origin == line).map(|(text, _)| format!("{text}\n")).collect()
    }
}

/// Markdown as mdBook reads it.
pub fn events(text: &str) -> OffsetIter<'_> {
    new_cmark_parser(text, &MarkdownOptions::default()).into_offset_iter()
}

/// The text of an event that is text or code.
pub fn words<'a>(event: &'a Event) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}
