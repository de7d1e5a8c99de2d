//! The card of a kernel's file, the stages' tables and the file's entry points say the same.

use super::statements::{self, Launched};
use super::{Material, Report, line_of, places_of};
use crate::fill::card::{Card, parse};
use crate::fill::entry_points::{EntryPoint, entry_points};
use crate::fill::kernels::STAGES;
use crate::fill::source::card_and_code;
use anyhow::Result;
use std::collections::BTreeSet;

/// What a card has, in this order.
const ENTRIES: [&str; 5] = ["shapes", "launch", "cost", "idea", "expected"];

/// What it may have after these: what a recorded run showed.
const MEASURED: &str = "measured";

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let mut count = 0;
    for stage in STAGES {
        for file in material.files(&format!("{}/kernels", stage.name), "cu")? {
            let launched = statements::launched(&file);
            // a file without a row is a finding of its own
            if !launched.is_empty() {
                let text = material.text(&file)?;
                let found = KernelFile::new(file, &text).check(material, &launched);
                count += 1;
                report.findings.extend(found.findings);
            }
        }
    }
    report.count(count, "cards");
    Ok(())
}

/// A kernel's file with its parts.
pub struct KernelFile<'a> {
    /// From the root of the repository.
    pub file: String,
    text: &'a str,
    /// What follows the card.
    pub code: &'a str,
    /// The comment that opens the file.
    pub card: Card<'a>,
    entry_points: Vec<EntryPoint>,
}

impl<'a> KernelFile<'a> {
    /// Takes a file's text apart.
    pub fn new(file: String, text: &'a str) -> Self {
        let (card, code) = card_and_code(text);
        Self { file, text, code, card: parse(card), entry_points: entry_points(text) }
    }

    /// What the card says under a word.
    pub fn entry(&self, key: &str) -> &str {
        self.card.entries.iter().find(|(is, _)| *is == key).map_or("", |(_, text)| text)
    }

    /// The line where the card says something under a word.
    pub fn line(&self, key: &str) -> usize {
        let opens = |line: &str| line.strip_prefix("// ").is_some_and(|line| line.starts_with(&format!("{key}  ")));
        self.text.lines().position(opens).map_or(1, |index| index + 1)
    }

    /// The first line of the code with these words.
    pub fn line_of_code(&self, words: &str) -> usize {
        let place = self.text.len() - self.code.len();
        line_of(self.text, place + self.code.find(words).unwrap_or(0))
    }

    /// The number of an entry point's threads, for those that have it in their names.
    pub fn blocks_of_entry_points(&self) -> Vec<u32> {
        self.entry_points.iter().filter_map(|entry| entry.name.rsplit('_').next()?.parse().ok()).collect()
    }

    fn check(&self, material: &Material, launched: &[Launched]) -> Report {
        let mut report = Report::default();
        self.check_parts(&mut report);
        self.check_entry_points(launched, &mut report);
        self.check_parameters(&mut report);
        for launched in launched {
            statements::check(self, launched, material, &mut report);
        }
        statements::check_counters(self, &mut report);
        report
    }

    fn check_parts(&self, report: &mut Report) {
        let keys: Vec<&str> = self.card.entries.iter().map(|(key, _)| *key).collect();
        let without_measured = keys.strip_suffix(&[MEASURED]).unwrap_or(&keys);
        if self.card.formula.is_empty() {
            report.add(&self.file, 1, "the card does not begin with what the kernel computes: write its formula");
        }
        if without_measured != ENTRIES {
            let text =
                format!("the card has {keys:?}: write {ENTRIES:?}, and where a time is surprising \"{MEASURED}\"");
            report.add(&self.file, 1, text);
        }
    }

    fn check_entry_points(&self, launched: &[Launched], report: &mut Report) {
        let mut expected = BTreeSet::new();
        for launched in launched {
            for block in (1..=1024).filter(|&block| launched.blocks.accept(block)) {
                expected.insert(launched.entry.name(block));
            }
        }
        let present: BTreeSet<String> = self.entry_points.iter().map(|entry| entry.name.clone()).collect();
        for name in expected.difference(&present) {
            report.add(&self.file, 1, format!("the stage's table launches {name}, which is not in this file: add it"));
        }
        for entry in &self.entry_points {
            if !expected.contains(&entry.name) {
                let text = format!("no row of the stage's table launches {}: add one, or take it out", entry.name);
                report.add(&self.file, entry.line, text);
            }
            let only = launched.iter().find_map(|launched| only_block(launched, &entry.name));
            if let (Some(bounds), Some(block)) = (entry.launch_bounds, only)
                && bounds != block
            {
                let text =
                    format!("__launch_bounds__({bounds}), where {} is launched with {block} threads", entry.name);
                report.add(&self.file, entry.line, text);
            }
        }
    }

    /// The card explains each parameter.
    fn check_parameters(&self, report: &mut Report) {
        let card: String = self.text.lines().take_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n");
        let names: BTreeSet<&String> = self.entry_points.iter().flat_map(|entry| &entry.parameters).collect();
        for name in names {
            if places_of(&card, name).next().is_none() {
                let text = format!("the card does not mention the parameter {name}: say what it holds");
                report.add(&self.file, self.line("shapes"), text);
            }
        }
    }
}

/// The one size of block with which an entry point is launched.
fn only_block(launched: &Launched, entry: &str) -> Option<u32> {
    let mut blocks = (1..=1024).filter(|&block| launched.blocks.accept(block) && launched.entry.name(block) == entry);
    blocks.next().filter(|_| blocks.next().is_none())
}
