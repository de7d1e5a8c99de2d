//! Rejects measured numbers that are typed into a stage's chapter or into slides: they come from records, through directives.
//!
//! The tutorials' published numbers are in the stages' tables of kernels, from which `{{ladder}}` takes them, so there are
//! no exceptions.

use super::document::events;
use super::{Material, Report, line_of};
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};
use std::ops::Range;

/// The units of measured times and rates, and the words that follow a measured ratio.
const UNITS: [&str; 22] = [
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "sec",
    "second",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "GB/s",
    "TB/s",
    "MB/s",
    "GFLOP/s",
    "TFLOP/s",
    "GFLOPS",
    "TFLOPS",
    "times as fast",
    "times faster",
    "times slower",
];

pub fn check(material: &Material, report: &mut Report) {
    for chapter in material.stage_chapters().chain(&material.decks) {
        let prose = prose(&chapter.text);
        for (place, number) in find_measurements(&prose) {
            let text =
                format!("`{number}` is typed in: take it from a record, {{{{time STAGE KERNEL}}}} or {{{{ratio …}}}}");
            report.add(&chapter.file, line_of(&chapter.text, place), text);
        }
    }
}

/// Returns the words of a text, with everything else replaced by as many spaces: code, markup, addresses and directives.
fn prose(text: &str) -> String {
    let text = without_directives(text);
    let mut prose = vec![b' '; text.len()];
    let mut keep = |range: Range<usize>| prose[range.clone()].copy_from_slice(&text.as_bytes()[range]);
    let mut in_code = false;
    for (event, range) in events(&text) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(_) if !in_code => keep(range),
            Event::Html(_) => between_tags(&text, range).into_iter().for_each(&mut keep),
            _ => {}
        }
    }
    // A number and its unit may be on two lines.
    String::from_utf8(prose).expect("the parser's ranges begin and end between characters").replace('\n', " ")
}

/// Returns the text with control characters in place of each directive. Spaces at the beginning of a line would turn
/// what follows them into a code block.
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

/// Returns the parts of `range`, which is HTML, that are outside of tags.
fn between_tags(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    for (place, _) in text[range.clone()].match_indices('<') {
        let place = range.start + place;
        if place >= start {
            parts.push(start..place);
            start = text[place..range.end].find('>').map_or(range.end, |end| place + end + 1);
        }
    }
    parts.push(start..range.end);
    parts
}

/// Returns the numbers that are followed by a unit of time or rate, with their places.
fn find_measurements(prose: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (place, _) in prose.match_indices(|c: char| c.is_ascii_digit()) {
        let is_begin = !prose[..place].ends_with(|c: char| c.is_alphanumeric() || "_.,".contains(c));
        let digits = prose[place..].find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
        let digits = digits.unwrap_or(prose.len() - place);
        let rest = &prose[place + digits..];
        let unit_at = rest.len() - rest.trim_start_matches([' ', '\u{a0}', '×']).len();
        let unit = UNITS.iter().find(|unit| {
            let after = rest[unit_at..].strip_prefix(**unit);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        if let (true, Some(unit)) = (is_begin, unit) {
            found.push((place, &prose[place..place + digits + unit_at + unit.len()]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_at_their_places() {
        let text = "# Head\n\nA `code` [link](to.md) {{time a b}}\nnext *word*\n\n```text\nblock\n```\n\n<p class=\"c\">html</p>\n";
        let prose = prose(text);
        assert_eq!(prose.len(), text.len());
        let words: Vec<&str> = prose.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        assert_eq!(words, ["Head", "A", "link", "next", "word", "html"]);
        assert!(words.iter().all(|word| prose.find(word) == text.find(word)));
    }

    #[test]
    fn numbers_with_a_unit_of_time_or_rate_are_found() {
        let found =
            |prose| find_measurements(prose).into_iter().map(|(_, number)| number.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("It took 0.889 ms, then 83.7µs."), ["0.889 ms", "83.7µs"]);
        assert_eq!(found("6,042 GFLOP/s, and 2.2 times as fast"), ["6,042 GFLOP/s", "2.2 times as fast"]);
        assert_eq!(found("32 sectors, 128 bytes, x2 ms, 4 msgs").len(), 0);
    }
}
