//! The checks of slides: they follow the plan of their session, and each can be read from the last row of a room.

use super::document::{Document, events};
use super::{CHAPTERS, DECKS, Material, Report};
use crate::slides::deck::{self, Slide};
use crate::slides::plan::{Plan, SESSIONS};
use crate::slides::{CHAPTER, name};
use anyhow::Result;
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};

/// The greatest number of words on a slide, apart from code, tables and figures.
const MAX_WORDS: usize = 42;
/// The greatest number of slides in a session of 75 minutes.
const MAX_SLIDES: usize = 40;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let chapter = material.text(&format!("{CHAPTERS}/{CHAPTER}"))?;
    let mut count = 0;
    for session in 1..=SESSIONS {
        let file = format!("{DECKS}/{}.md", name(session));
        match (Plan::parse(&chapter, session), material.decks.iter().find(|deck| deck.file == file)) {
            (Err(error), _) => report.add(&format!("{CHAPTERS}/{CHAPTER}"), 1, error.to_string()),
            (_, None) => report.add(&file, 1, "a session without slides: write this file"),
            (Ok(plan), Some(deck)) => count += check_deck(deck, &plan, report),
        }
    }
    report.count(count, "slides");
    Ok(())
}

/// Returns the number of slides.
fn check_deck(deck: &Document, plan: &Plan, report: &mut Report) -> usize {
    let slides = deck::slides(&deck.text);
    if let Err(error) = deck::require_parts(&slides, plan) {
        let text = error.to_string();
        let (line, text) = text.split_once(": ").unwrap_or(("1", &text));
        report.add(&deck.file, line.parse().unwrap_or(1), text);
    }
    if slides.len() > MAX_SLIDES {
        report.add(&deck.file, 1, format!("{} slides; a session has at most {MAX_SLIDES}", slides.len()));
    }
    for slide in &slides {
        let words = words(slide);
        if words > MAX_WORDS {
            let text = format!("{words} words; a slide has at most {MAX_WORDS}: move explanations below `Notes:`");
            report.add(&deck.file, slide.line, text);
        }
        if !slide.body.iter().any(|(_, line)| line.starts_with("## ")) {
            report.add(&deck.file, slide.line, "a slide without a heading, `## …`");
        }
    }
    slides.len()
}

/// Returns the number of words outside of code, tables and directives that are replaced by blocks.
fn words(slide: &Slide<'_>) -> usize {
    let is_block = |line: &str| line.starts_with("{{") && line.ends_with("}}") && line.matches("{{").count() == 1;
    let lines = slide.body.iter().map(|(_, line)| *line).filter(|line| !is_block(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut inside = 0;
    let mut words = 0;
    for (event, _) in events(&text) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_)) => inside += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Table) => inside -= 1,
            Event::Text(text) if inside == 0 => words += text.split_whitespace().count(),
            Event::Code(_) if inside == 0 => words += 1,
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_to_read() {
        let text = "## Two words\n\n{{figure grid}}\n\nthree more `of code` here\n\n```text\nnot these\n```\n\n| a | b |\n|---|---|\n\
                    | c | d |\n\nNotes: nor these.\n";
        assert_eq!(words(&deck::slides(text)[0]), 6);
    }
}
