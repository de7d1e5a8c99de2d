//! `{{minutes PAGE}}`: how long a page takes to read, from its words, its lines of code and the rows of its tables.

use super::Sources;
use super::notation::slug;
use anyhow::{Context, Result, bail};
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};
use mdbook_markdown::{MarkdownOptions, new_cmark_parser};
use std::fs;

const WORDS_PER_MINUTE: usize = 200;
/// The time for a line of code or a row of a table.
const SECONDS_PER_LINE: usize = 4;
/// Times are given in steps of so many minutes, because they are not more exact.
const STEP: usize = 5;

/// The directives that are replaced by code or tables. Pictures and exercises are not counted.
const LISTINGS: [&str; 12] = [
    "kernel", "card", "diff", "lines", "counters", "ladder", "issue", "levels", "answers", "limits", "twins", "results",
];

/// The beginning of the Rust version of a listing, which nobody reads too.
const SECOND_LANGUAGE: &str = "<div class=\"language\" data-language=\"rust\">";

/// What there is to read.
#[derive(Debug, Default, PartialEq, Eq)]
struct Amount {
    words: usize,
    lines: usize,
}

/// Returns the replacement of `{{minutes PAGE}}` and `{{minutes PAGE ANCHOR …}}`: the time for the page, or for these sections of it.
///
/// # Errors
/// Returns an error if there is no such page or section, or if a directive on it cannot be replaced.
pub fn render(sources: &Sources, page: &str, anchors: &[&str]) -> Result<String> {
    let file = sources.book.join("text").join(page).with_extension("md");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let sections = match anchors {
        [] => vec![text.as_str()],
        _ => anchors.iter().map(|anchor| section(&text, anchor)).collect::<Result<_>>()?,
    };
    let mut amount = Amount::default();
    for section in sections {
        amount.add(&with_listings(sources, section)?);
    }
    Ok(format!("{} minutes", amount.minutes()))
}

/// Returns the part of a page from a heading to the next one that is not below it.
fn section<'a>(text: &'a str, anchor: &str) -> Result<&'a str> {
    let level =
        |line: &str| Some(line.find(|c| c != '#')?).filter(|&level| level > 0 && line[level..].starts_with(' '));
    let mut start = None;
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        match (start, level(line)) {
            (None, Some(level)) if slug(&line[level..]) == anchor => start = Some((place, level)),
            (Some((from, above)), Some(level)) if level <= above => return Ok(&text[from..place]),
            _ => {}
        }
        place += line.len();
    }
    match start {
        Some((from, _)) => Ok(&text[from..]),
        None => bail!("there is no section {anchor} on this page"),
    }
}

/// Returns a text with its listings, and with a word in place of each other directive. What is folded away has no listings.
fn with_listings(sources: &Sources, text: &str) -> Result<String> {
    let mut shown = String::new();
    let mut folded = 0_usize;
    for line in text.lines() {
        folded = folded + line.matches("<details>").count() - line.matches("</details>").count().min(folded);
        let inside =
            line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).filter(|inside| !inside.contains("{{"));
        match inside {
            Some(inside) if inside.split(' ').next().is_some_and(|word| LISTINGS.contains(&word)) && folded == 0 => {
                let listing = sources.expand(inside, true)?;
                shown += listing.split(SECOND_LANGUAGE).next().unwrap_or_default();
            }
            Some(_) => {}
            None => shown += &with_words(line),
        }
        shown.push('\n');
    }
    Ok(shown)
}

/// Returns a line with a word in place of each directive.
fn with_words(line: &str) -> String {
    let mut parts = line.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + "1" + part.split_once("}}").map_or("", |(_, rest)| rest))
}

impl Amount {
    /// Adds what there is to read in a Markdown text.
    fn add(&mut self, text: &str) {
        let mut in_code = false;
        for event in new_cmark_parser(text, &MarkdownOptions::default()) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Start(Tag::TableRow) => self.lines += 1,
                Event::Text(text) if in_code => self.lines += text.lines().count(),
                Event::Text(text) => self.words += text.split_whitespace().count(),
                Event::Code(_) => self.words += 1,
                Event::Html(html) => self.add_html(&html),
                _ => {}
            }
        }
    }

    fn add_html(&mut self, html: &str) {
        self.lines += html.matches("<tr").count();
        if html.starts_with("<summary>") {
            self.words += html.split_whitespace().count();
        }
    }

    fn minutes(&self) -> usize {
        let seconds = self.words * 60 / WORDS_PER_MINUTE + self.lines * SECONDS_PER_LINE;
        seconds.div_ceil(60 * STEP).max(1) * STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn words_lines_and_rows_are_counted_apart() {
        let mut amount = Amount::default();
        amount.add("# One two\n\nthree `four` *five*\n\n```text\na b\nc\n```\n\n| h |\n|---|\n| 1 |\n\n<summary>six seven</summary>\n");
        // Of a table, the words of its cells count too.
        assert_eq!(amount, Amount { words: 9, lines: 3 });
        assert_eq!(Amount { words: 1000, lines: 0 }.minutes(), 5);
        assert_eq!(Amount { words: 1000, lines: 15 }.minutes(), 10);
    }

    #[test]
    fn a_section_ends_at_the_next_one() {
        let page = "# Page\n\na\n\n## The first one\n\nb\n\n### Below\n\nc\n\n## Second\n\nd\n";
        assert_eq!(section(page, "the-first-one").unwrap(), "## The first one\n\nb\n\n### Below\n\nc\n\n");
        assert_eq!(section(page, "second").unwrap(), "## Second\n\nd\n");
        assert!(section(page, "third").is_err());
    }

    #[test]
    fn listings_count_once_and_not_if_they_are_folded() {
        let sources = Sources { book: Path::new(env!("CARGO_MANIFEST_DIR")).into(), omits_solutions: false };
        let lines = |text: &str| {
            let mut amount = Amount::default();
            amount.add(&with_listings(&sources, text).unwrap());
            amount
        };
        let open = lines("{{kernel computeForces}}\n");
        assert!((10..60).contains(&open.lines), "{open:?}");
        assert_eq!(lines("<details>\n\n{{kernel computeForces}}\n\n</details>\n").lines, 0);
        assert_eq!(lines("a {{time x y}} b\n"), Amount { words: 3, lines: 0 });
    }
}
