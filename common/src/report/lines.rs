//! The lines below the table: CPU times, totals, what columns mean, and what is wrong with failed rows.

use super::format::{filled, milliseconds};
use super::table::is_best;
use crate::device::Backend;
use crate::kernel::PREBUILT;
use crate::plan::COMPARED_N;
use crate::problem::Facts;
use crate::session::Outcome;
use crate::verify::Sample;
use std::collections::{BTreeMap, BTreeSet};

/// What the CPU's own loop takes, one line a problem and size.
pub fn cpu(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for outcome in outcomes {
        let (facts, size, cpu) = (outcome.plan.facts(), &outcome.plan.size, &outcome.cpu);
        let scaled = cpu.scaled_from.as_ref().map_or(String::new(), |part| format!(" (scaled from {part})"));
        // The kernels of a problem with options of its own may run at different sizes.
        let count = if size.parameters.is_empty() { String::new() } else { format!(", {}", facts.count(size.n)) };
        let line = format!(
            "CPU, {}{count}: serial {}, {} threads {}{scaled}",
            facts.letter,
            milliseconds(cpu.serial_ms),
            cpu.threads,
            milliseconds(cpu.parallel_ms)
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// What all steps of a run take, on the CPU and by each kernel in its fastest shape; one paragraph a problem with
/// several steps, and none without times.
pub fn totals(outcomes: &[Outcome]) -> Vec<String> {
    let mut paragraphs = Vec::new();
    for first in first_of_sizes(outcomes) {
        let (plan, cpu) = (&first.plan, &first.cpu);
        let same: Vec<_> = outcomes.iter().filter(|other| key(other) == key(first)).collect();
        let fastest = same.iter().filter(|outcome| is_best(outcome, outcomes));
        let kernel =
            |outcome: &&Outcome| Some(format!("{} {}", outcome.plan.rung.kernel, milliseconds(outcome.timing?.median)));
        let kernels: Vec<String> = fastest.filter_map(kernel).collect();
        if kernels.is_empty() || plan.size.step_count() == 1 {
            continue;
        }
        let (serial, parallel) = (milliseconds(cpu.serial_ms), milliseconds(cpu.parallel_ms));
        let cpu = [format!("CPU serial {serial}"), format!("CPU {} threads {parallel}", cpu.threads)];
        let title = format!("Total, {}, {}: ", plan.facts().letter, plan.describe_size());
        paragraphs.push(filled(&title, cpu.into_iter().chain(kernels)));
    }
    paragraphs
}

fn key<'o>(outcome: &'o Outcome) -> (&'static str, &'o crate::problem::Size) {
    (outcome.plan.facts().letter, &outcome.plan.size)
}

/// The first outcome of each problem and size.
fn first_of_sizes<'o, 'a>(outcomes: &'o [Outcome<'a>]) -> Vec<&'o Outcome<'a>> {
    let mut first: Vec<&Outcome> = Vec::new();
    for outcome in outcomes {
        if !first.iter().any(|other| key(other) == key(outcome)) {
            first.push(outcome);
        }
    }
    first
}

/// What the tutorials published, one line a kernel.
pub fn published(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for rung in outcomes.iter().map(|outcome| outcome.plan.rung) {
        let line = rung.published.map(|published| format!("Published, {}: {published}", rung.kernel));
        lines.extend(line.filter(|line| lines.last() != Some(line)));
    }
    lines
}

/// What columns mean that do not say it themselves.
pub fn legend(backend: Backend, outcomes: &[Outcome], is_sweep: bool, has_counts: bool) -> Vec<String> {
    const COUNTS: &str = "Counts are of one launch. sect: 32-byte sectors per request of a warp. moved/needed: bytes of all\n\
         sectors, over those of inputs and outputs once. divergent: share of branches.";
    match backend {
        Backend::Emulator if has_counts => Vec::new(),
        Backend::Emulator => vec![COUNTS.into()],
        Backend::Cuda => {
            let mut lines = rates(outcomes);
            lines.push("range: slowest less fastest run, over the median.".into());
            lines.extend(is_sweep.then(|| "* fastest shape of this kernel".into()));
            lines
        }
    }
}

/// What the column of the twins in Rust is; nothing where there is none.
pub fn twins(backend: Backend, beside: &[Outcome]) -> Option<String> {
    let first = beside.first()?;
    Some(match (backend, first.is_beside) {
        (Backend::Cuda, _) => "in Rust: time of the twin in Rust over the kernel's.".into(),
        (Backend::Emulator, false) => "in Rust: warp instructions of the twin in Rust over the kernel's.".into(),
        (Backend::Emulator, true) => format!(
            "in Rust: warp instructions of the twin in Rust over the kernel's, of one step at n = {COMPARED_N} at most."
        ),
    })
}

/// What the rates count: `A, D: GFLOP/s, …`, problems with the same words on one line.
fn rates(outcomes: &[Outcome]) -> Vec<String> {
    let mut legends: Vec<(&str, Vec<&str>)> = Vec::new();
    for Facts { letter, rate, .. } in outcomes.iter().map(|outcome| outcome.plan.facts()) {
        match legends.iter_mut().find(|(legend, _)| *legend == rate.legend) {
            Some((_, letters)) if letters.contains(letter) => {}
            Some((_, letters)) => letters.push(letter),
            None => legends.push((rate.legend, vec![letter])),
        }
    }
    legends.into_iter().map(|(legend, letters)| format!("{}: {legend}", letters.join(", "))).collect()
}

/// Which files were compiled at run time, and by what.
pub fn compiled(outcomes: &[Outcome]) -> Vec<String> {
    let mut compiled: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.code != PREBUILT) {
        compiled.entry(&outcome.code).or_default().insert(outcome.plan.source().name());
    }
    let line = |(code, files): (&str, BTreeSet<String>)| {
        format!("Compiled at run time, {code}: {}", Vec::from_iter(files).join(", "))
    };
    compiled.into_iter().map(line).collect()
}

/// What of the counts and of the results a run covers, where that is a part.
pub fn parts(backend: Backend, outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for outcome in outcomes.iter().filter(|_| backend == Backend::Emulator) {
        let note = outcome.plan.rung.work.count_note(&outcome.plan.size);
        let line = format!("{}: {note}", outcome.plan.facts().letter);
        if !note.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    for outcome in outcomes {
        let Some(Sample { compared, of, unit }) = outcome.report.sample else { continue };
        let (letter, size) = (outcome.plan.facts().letter, outcome.plan.describe_size());
        let line = format!("Check, {letter}, {size}: a seeded sample, {compared} of {of} {unit}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// What is wrong with failed rows.
pub fn failures(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines = Vec::new();
    for Outcome { plan, report, .. } in outcomes.iter().filter(|outcome| !outcome.report.passed()) {
        lines.push(format!(
            "\nFAILED: {}, {}, {} blocks of {}, seed {}: {} of {} values and laws",
            plan.name(),
            plan.describe_size(),
            plan.grid,
            plan.block,
            plan.size.seed,
            report.failed,
            report.compared
        ));
        lines.extend(report.examples.iter().map(|failure| format!("  {failure}")));
    }
    lines
}
