//! The sentences of a text, with everything else blanked out, so that places in them are places in the text.

use super::document::events;
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};
use std::ops::Range;

/// Sentences, as long as the text that they are of.
pub struct Prose {
    /// Spaces stand for code, markup, addresses and directives.
    pub text: String,
    /// Links: where their words stand, and where they lead.
    pub links: Vec<(Range<usize>, String)>,
}

/// Which words count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Paragraphs, lists and tables.
    Sentences,
    /// Headings and what is between HTML tags too.
    Everything,
}

impl Prose {
    /// The prose of a text with its directives.
    pub fn new(text: &str, of: Of) -> Self {
        let text = without_directives(text);
        let mut prose = Self { text: String::with_capacity(text.len()), links: Vec::new() };
        let mut open: Option<(usize, String)> = None;
        let (mut in_heading, mut in_code) = (false, false);
        for (event, range) in events(&text) {
            match event {
                Event::Start(Tag::Heading { .. }) => in_heading = true,
                Event::End(TagEnd::Heading(_)) => in_heading = false,
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Start(Tag::Link { dest_url, .. }) => open = Some((range.start, dest_url.into_string())),
                Event::End(TagEnd::Link) => {
                    prose.links.extend(open.take().map(|(start, target)| (start..range.end, target)));
                }
                Event::Text(_) if !in_code && (!in_heading || of == Of::Everything) => prose.copy(&text, range),
                Event::Html(_) if of == Of::Everything => {
                    for part in between_tags(&text[range.clone()]) {
                        prose.copy(&text, range.start + part.start..range.start + part.end);
                    }
                }
                _ => {}
            }
        }
        prose.blank_up_to(text.len());
        prose
    }

    fn copy(&mut self, text: &str, range: Range<usize>) {
        // events come in the order of the text; one that did not would shift all places after it
        if range.start >= self.text.len() {
            self.blank_up_to(range.start);
            self.text.push_str(&text[range].replace('\n', " "));
        }
    }

    /// A blank counts as many bytes as what it stands for. A line's end is a space: words may go on in the next line.
    fn blank_up_to(&mut self, end: usize) {
        while self.text.len() < end {
            self.text.push(' ');
        }
    }

    /// Whether what is at `place` is part of a link to `target`.
    pub fn is_linked(&self, place: usize, target: &str) -> bool {
        self.links.iter().any(|(range, to)| range.contains(&place) && to == target)
    }
}

/// The text with a row of control characters in place of each directive: blanks at a line's begin would make code of
/// it.
fn without_directives(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inside, after)) = after.split_once("}}") else { break };
        plain += before;
        plain += &"\u{1}".repeat(inside.len() + 4);
        rest = after;
    }
    plain + rest
}

fn between_tags(html: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, _) in html.match_indices('<') {
        if place >= start {
            parts.push(start..place);
            start = html[place..].find('>').map_or(html.len(), |end| place + end + 1);
        }
    }
    parts.push(start..html.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# Head\n\nA `code` [link](to.md) {{time a b}}\nnext *word*\n\n```text\nblock\n```\n\n<p>html</p>\n";

    fn words(of: Of) -> Vec<String> {
        let prose = Prose::new(TEXT, of);
        assert_eq!(prose.text.len(), TEXT.len());
        let words = prose.text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }

    #[test]
    fn sentences_are_kept_at_their_places() {
        assert_eq!(words(Of::Sentences), ["A", "link", "next", "word"]);
        assert_eq!(words(Of::Everything), ["Head", "A", "link", "next", "word", "html"]);
        let prose = Prose::new(TEXT, Of::Sentences);
        assert_eq!(prose.text.find("word"), TEXT.find("word"));
    }

    #[test]
    fn a_link_knows_where_its_words_stand() {
        let prose = Prose::new(TEXT, Of::Sentences);
        let place = TEXT.find("link").unwrap();
        assert!(prose.is_linked(place, "to.md"));
        assert!(!prose.is_linked(place, "other.md") && !prose.is_linked(TEXT.find("next").unwrap(), "to.md"));
    }
}
