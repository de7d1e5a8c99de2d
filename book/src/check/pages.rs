//! The checks for unreachable pages and figures, and for the lengths of texts.

use super::{CHAPTERS, Material, Report};
use crate::fill::chip;
use crate::fill::exercises::set;
use anyhow::Result;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The number of lines of a stage's chapter: enough to teach one idea, and not too many to read at once.
const LINES: RangeInclusive<usize> = 100..=260;

/// The greatest number of words of a text that should be read at once.
const WORDS: (&str, usize) = ("ARCHITECTURE.md", 1200);

/// The greatest number of words of the afternoon, the first page and all parts, so that it stays one: half an hour of reading, and
/// the rest for eight exercises.
const AFTERNOON_WORDS: usize = 6000;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    for file in material.files(CHAPTERS, "md")? {
        let is_listed = material.chapters.iter().any(|chapter| chapter.file == file);
        if !is_listed && file != material.summary.file {
            report.add(&file, 1, format!("{} does not list this page: list it, or delete it", material.summary.file));
        }
    }
    for chapter in material.stage_chapters() {
        let lines = chapter.text.lines().count();
        if !LINES.contains(&lines) {
            let text = format!("{lines} lines; a stage's chapter has {} to {}", LINES.start(), LINES.end());
            report.add(&chapter.file, lines, text);
        }
    }
    let (file, most) = WORDS;
    let words = material.text(file)?.split_whitespace().count();
    if words > most {
        let text = format!("{words} words; it has at most {most}: move explanations of a file's code to that file");
        report.add(file, 1, text);
    }
    let words = afternoon_words(material)?;
    if words > AFTERNOON_WORDS {
        let text = format!(
            "the afternoon has {words} words, of at most {AFTERNOON_WORDS}: leave to the stages what they explain"
        );
        report.add("book/text/index.md", 1, text);
    }
    figures(material, report)
}

/// Returns the number of words of the first page and of the parts of the path, with those of their exercises.
fn afternoon_words(material: &Material) -> Result<usize> {
    let count = |text: &str| text.split_whitespace().count();
    let is_on_path = |file: &str| file.ends_with("text/index.md") || file.contains("text/path-");
    let mut words = 0;
    for chapter in material.chapters.iter().filter(|chapter| is_on_path(&chapter.file)) {
        words += count(&chapter.text);
        for name in chapter.directives().filter_map(|directive| match directive[..] {
            ["exercise", name] => Some(name),
            _ => None,
        }) {
            let card = &set()?.find(name)?.card;
            words += count(&card.task);
            words +=
                card.questions.iter().map(|question| count(&question.ask) + count(&question.answer)).sum::<usize>();
        }
    }
    Ok(words)
}

fn figures(material: &Material, report: &mut Report) -> Result<()> {
    let directives = material.chapters.iter().flat_map(|chapter| chapter.directives());
    let used: BTreeSet<String> = directives
        .filter(|directive| directive.first() == Some(&"figure"))
        .filter_map(|directive| Some(format!("book/figures/{}.svg", directive.get(1)?)))
        .collect();
    let files = material.files("book/figures", "svg")?;
    let template = format!("book/figures/{}.svg", chip::TEMPLATE);
    for file in files.iter().filter(|file| !used.contains(*file) && **file != template) {
        let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".svg");
        report.add(file, 1, format!("no chapter shows this figure: write {{{{figure {name}}}}}, or delete it"));
    }
    report.count(files.len(), "figures");
    Ok(())
}
