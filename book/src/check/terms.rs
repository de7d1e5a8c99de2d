//! Words as in the glossary. Below a term's heading there, comments may say more than readers see:
//!
//! - `<!-- not: thread block, workgroup -->` are other words for it, which chapters do not use;
//! - `<!-- otherwise: grid of points -->` are phrases in which it has another meaning.
//!
//! In a stage's chapter, the first use of a term in a sentence is a link to it.

use super::document::Document;
use super::prose::{Of, Prose};
use super::{CHAPTERS, Material, Report, line_of, places_of};
use crate::fill::notation::slug;
use anyhow::{Context, Result};

const GLOSSARY: &str = "glossary.md";

/// An entry of the glossary.
#[derive(Debug, Default, PartialEq)]
struct Term<'a> {
    /// Its heading.
    name: &'a str,
    /// Words that are not used for it.
    variants: Vec<&'a str>,
    /// Phrases that hold the term, and mean something else.
    otherwise: Vec<&'a str>,
}

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let glossary = material.chapters.iter().find(|chapter| chapter.name() == GLOSSARY);
    let glossary = glossary.with_context(|| format!("the summary lists no {CHAPTERS}/{GLOSSARY}"))?;
    let terms = terms(&glossary.text);
    for chapter in material.chapters.iter().filter(|chapter| chapter.name() != GLOSSARY) {
        check_variants(chapter, &terms, report);
    }
    for chapter in material.stage_chapters() {
        check_first_uses(chapter, &terms, report);
    }
    report.count(terms.len(), "terms");
    report.count(terms.iter().map(|term| term.variants.len()).sum(), "refused words");
    Ok(())
}

fn terms(glossary: &str) -> Vec<Term<'_>> {
    let mut terms: Vec<Term> = Vec::new();
    for line in glossary.lines() {
        let comment = |word: &str| {
            let list = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(word)?;
            Some(list.split(',').map(str::trim).collect::<Vec<_>>())
        };
        if let Some(name) = line.strip_prefix("## ") {
            terms.push(Term { name: name.trim(), ..Term::default() });
        } else if let Some(term) = terms.last_mut() {
            term.variants.extend(comment("not:").unwrap_or_default());
            term.otherwise.extend(comment("otherwise:").unwrap_or_default());
        }
    }
    // `bank conflict` before `bank`, which it holds
    terms.sort_by_key(|term| std::cmp::Reverse(term.name.len()));
    terms
}

fn check_variants(chapter: &Document, terms: &[Term], report: &mut Report) {
    let prose = Prose::new(&chapter.text, Of::Everything);
    for term in terms {
        for variant in &term.variants {
            for place in places_of(&prose.text, variant) {
                let text = format!("`{variant}`: the glossary's word is `{}`", term.name.to_lowercase());
                report.add(&chapter.file, line_of(&chapter.text, place), text);
            }
        }
    }
}

fn check_first_uses(chapter: &Document, terms: &[Term], report: &mut Report) {
    let mut prose = Prose::new(&chapter.text, Of::Sentences);
    for term in terms {
        for phrase in &term.otherwise {
            blank(&mut prose.text, phrase);
        }
        let target = format!("{GLOSSARY}#{}", slug(term.name));
        let first = places_of(&prose.text, term.name).next();
        if let Some(place) = first.filter(|&place| !prose.is_linked(place, &target)) {
            let text = format!("`{}` is not linked at its first use: write […]({target})", term.name.to_lowercase());
            report.add(&chapter.file, line_of(&chapter.text, place), text);
        }
        blank(&mut prose.text, term.name);
    }
}

/// What a longer term holds is not a use of a shorter one.
fn blank(text: &mut String, word: &str) {
    let places: Vec<usize> = places_of(text, word).collect();
    for place in places {
        text.replace_range(place..place + word.len(), &" ".repeat(word.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_headings_with_their_comments_longer_ones_first() {
        let glossary =
            "# Glossary\n\n## Bank\n\n<!-- not: slot, bin -->\nText.\n\n## Bank conflict\n<!-- otherwise: x -->\n";
        let terms = terms(glossary);
        assert_eq!(terms[0], Term { name: "Bank conflict", variants: vec![], otherwise: vec!["x"] });
        assert_eq!(terms[1], Term { name: "Bank", variants: vec!["slot", "bin"], otherwise: vec![] });
    }
}
