//! The comparison of a kernel's card with the stages' tables and with the entry points of the file.

use super::kernel_file::KernelFile;
use super::statements::{self, Launched};
use super::{Material, Report, places_of};
use crate::fill::kernels::STAGES;
use anyhow::Result;
use std::collections::BTreeSet;

/// The entries of a card, in this order.
const ENTRIES: [&str; 5] = ["shapes", "launch", "bottleneck", "idea", "expected"];

/// The optional last entry, with the result of a recorded run.
const MEASURED: &str = "measured";

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let mut count = 0;
    for stage in STAGES {
        for file in material.kernel_files(stage)? {
            let launched = statements::find_launches(&file);
            // `kernels` reports a file without a row.
            if !launched.is_empty() {
                let text = material.text(&file)?;
                let found = check_file(&KernelFile::new(file, &text), material, &launched);
                count += 1;
                report.findings.extend(found.findings);
            }
        }
    }
    report.count(count, "cards");
    Ok(())
}

fn check_file(kernel: &KernelFile, material: &Material, launched: &[Launched]) -> Report {
    let mut report = Report::default();
    check_parts(kernel, &mut report);
    check_entry_points(kernel, launched, &mut report);
    check_parameters(kernel, &mut report);
    for launched in launched {
        statements::check(kernel, launched, material, &mut report);
    }
    statements::check_counters(kernel, &mut report);
    report
}

fn check_parts(kernel: &KernelFile, report: &mut Report) {
    let keys: Vec<&str> = kernel.card.entries.iter().map(|(key, _)| *key).collect();
    let without_measured = keys.strip_suffix(&[MEASURED]).unwrap_or(&keys);
    if kernel.card.formula.is_empty() {
        report.add(&kernel.file, 1, "the card does not begin with what the kernel computes: write its formula");
    }
    if without_measured != ENTRIES {
        let text = format!("the card has {keys:?}: write {ENTRIES:?}, and where a time is surprising \"{MEASURED}\"");
        report.add(&kernel.file, 1, text);
    }
}

fn check_entry_points(kernel: &KernelFile, launched: &[Launched], report: &mut Report) {
    let mut expected = BTreeSet::new();
    for launched in launched {
        for block in (1..=1024).filter(|&block| launched.rung.blocks.accept(block)) {
            expected.extend(launched.rung.entry.names(block));
        }
    }
    let present: BTreeSet<String> = kernel.entry_points.iter().map(|entry| entry.name.clone()).collect();
    for name in expected.difference(&present) {
        report.add(&kernel.file, 1, format!("the stage's table launches {name}, which is not in this file: add it"));
    }
    for entry in &kernel.entry_points {
        if !expected.contains(&entry.name) {
            let text = format!("no row of the stage's table launches {}: add one, or take it out", entry.name);
            report.add(&kernel.file, entry.line, text);
        }
        let only = launched.iter().find_map(|launched| only_block(launched, &entry.name));
        if let (Some(bounds), Some(block)) = (entry.launch_bounds, only)
            && bounds != block
        {
            let text = format!("__launch_bounds__({bounds}), where {} is launched with {block} threads", entry.name);
            report.add(&kernel.file, entry.line, text);
        }
    }
}

/// Requires that the card mentions each parameter.
fn check_parameters(kernel: &KernelFile, report: &mut Report) {
    let card: String = kernel.text.lines().take_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let names: BTreeSet<&String> = kernel.entry_points.iter().flat_map(|entry| &entry.parameters).collect();
    for name in names {
        if places_of(&card, name).next().is_none() {
            let text = format!("the card does not mention the parameter {name}: say what it holds");
            report.add(&kernel.file, kernel.line("shapes"), text);
        }
    }
}

/// Returns the block size of an entry point that is launched with only one.
fn only_block(launched: &Launched, entry: &str) -> Option<u32> {
    let mut blocks = (1..=1024).filter(|&block| {
        launched.rung.blocks.accept(block) && launched.rung.entry.names(block).iter().any(|name| name == entry)
    });
    blocks.next().filter(|_| blocks.next().is_none())
}
