//! The check of the versions of records.
//!
//! A record contains the hash of the PTX instructions of its kernel, so that a change of comments does not make it old. The
//! book must mark the numbers of records whose kernel has changed since. A record without a hash must be recorded again.
//!
//! Nsight Compute's readings need no hash, because the stages' tests compare them with the counts of the present kernels.

use super::document::{Directive, Document};
use super::{Material, Report, line_of};
use crate::fill::kernels::STAGES;
use crate::fill::many;
use crate::fill::profile;
use crate::fill::records;
use crate::fill::twins;
use crate::fill::version::{self, MARK};
use anyhow::{Context, Result};
use common::report::Record;
use common::stage::Rung;
use std::fs;

/// The directives that name a stage but show none of its times.
const TIMELESS: [&str; 4] = ["player", "explorer", "exercises", "waits"];

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let (mut count, mut older) = (0, 0);
    let results = fs::read_dir(material.repository.join("results")).context("cannot read the folder results")?;
    for entry in results {
        let folder = format!("results/{}", entry?.file_name().to_string_lossy());
        if !material.repository.join(&folder).is_dir() {
            continue;
        }
        // Stage 7 records rungs in place of kernels. A profile has metrics in place of times, and its table marks old kernels.
        let is_of_kernels =
            |file: &&String| file.contains("/stage") && !file.ends_with(many::FILE) && !file.ends_with(profile::ENDING);
        for file in material.files(&folder, "json")?.iter().filter(is_of_kernels) {
            let text = material.text(file)?;
            let records = records::parse(&text).with_context(|| format!("{file} is not a list of records"))?;
            for record in records {
                count += 1;
                let place = text.find(&format!("\"{}\"", record.kernel)).unwrap_or(0);
                match (current(&record), &record.kernel_sha256) {
                    (Some(current), Some(recorded)) => older += usize::from(current != recorded),
                    (None, _) => report.add(file, line_of(&text, place), unknown(&record)),
                    (_, None) => report.add(file, line_of(&text, place), unversioned(&record)),
                }
            }
        }
    }
    report.count(count, "records");
    report.count(older, "of them of older versions of their kernels");
    gaps(material, report);
    marks(material, report);
    Ok(())
}

/// Adds a notice for each kernel without a record on the GPU of the chapters. It is not a mistake, because the author of a
/// kernel may not have that GPU.
fn gaps(material: &Material, report: &mut Report) {
    for stage in STAGES {
        let Ok(records) = material.sources.records(stage.name) else { continue };
        for kernel in records.missing(stage) {
            report.notices.push(format!("{kernel} of {} is not recorded on the GPU that the book shows", stage.name));
        }
        let is_missing = |rung: &&&Rung| twins::has_twin(rung) && records.pair(rung.kernel).is_none();
        let twins = stage.rungs.iter().filter(|rung| !stage.is_baseline(rung)).filter(is_missing);
        let names: Vec<&str> = twins.map(|rung| rung.kernel).collect();
        if !names.is_empty() {
            let text =
                format!("in Rust, not recorded on the GPU that the book shows: {} of {}", names.join(", "), stage.name);
            report.notices.push(text);
        }
    }
}

fn unknown(record: &Record) -> String {
    format!("{} has no kernel {}: remove the record", record.stage, record.kernel)
}

fn unversioned(record: &Record) -> String {
    format!(
        "the record of {} does not say of which version of the kernel it is: record it again with prebuilt PTX, \
         `cargo run -p {} -- --json`",
        record.kernel, record.stage
    )
}

/// Returns the version of the kernel in the repository.
fn current(record: &Record) -> Option<&'static str> {
    let stage = STAGES.iter().find(|stage| stage.name == record.stage)?;
    let rung = stage.rungs.iter().find(|rung| rung.kernel == record.kernel)?;
    let in_rust = record.language.is_rust();
    version::now(rung, in_rust).filter(|_| !in_rust || twins::has_twin(rung))
}

/// Requires that a chapter marks numbers of an older version.
fn marks(material: &Material, report: &mut Report) {
    for stage in STAGES {
        // The directives that need a file report an unreadable one.
        let Ok(recorded) = material.sources.records(stage.name) else { continue };
        let older = recorded.older(stage);
        for chapter in &material.chapters {
            for directive in unmarked(chapter, stage.name, &older) {
                let text = format!(
                    "{{{{{}}}}} shows times {MARK} of a kernel without saying so: record {} again, or let the directive be \
                     one of those in book/src/fill/directives.rs that say it",
                    directive.words.join(" "),
                    stage.name
                );
                report.add(&chapter.file, directive.line, text);
            }
        }
    }
}

/// Returns the directives that show times of a stage's `older` kernels without the mark.
fn unmarked<'a>(chapter: &'a Document, stage: &str, older: &[&str]) -> Vec<Directive<'a>> {
    let shows = |directive: &Directive| match *directive.words {
        ["results"] => !older.is_empty(),
        [word, name] => name == stage && !older.is_empty() && !TIMELESS.contains(&word),
        [_, name, ref kernels @ ..] => name == stage && kernels.iter().any(|kernel| older.contains(kernel)),
        _ => false,
    };
    let is_marked = |directive: &Directive| chapter.shown_of(directive.line).contains(MARK);
    chapter.directives().filter(|directive| shows(directive) && !is_marked(directive)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_the_mark_are_found() {
        // In a plain document no directive is replaced, and so none is marked.
        let text = "{{ladder stage09}}\n{{results}}\n{{player stage09}}\n{{time stage09 sum}}\n{{time stage09 scan}}\n\
                    {{time stage09 sum}} of an older version\n{{ladder stage08}}\n";
        let chapter = Document::plain("x.md", text.into());
        let lines =
            |older: &[&str]| unmarked(&chapter, "stage09", older).iter().map(|one| one.line).collect::<Vec<_>>();
        assert_eq!(lines(&["sum"]), [1, 2, 4]);
        assert_eq!(lines(&[]), [0; 0]);
    }
}
