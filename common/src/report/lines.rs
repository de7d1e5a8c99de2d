//! The lines above and below the tables that only some runs have: compiled files, published times, wrong results.

use crate::format::thousands;
use crate::kernel::PREBUILT;
use crate::outcome::Outcome;
use crate::report::print::Table;
use crate::session::Run;
use std::collections::{BTreeMap, BTreeSet};

/// Returns a table of the times that the tutorials published; `None` if there are none.
pub fn published_table(outcomes: &[Outcome]) -> Option<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for rung in outcomes.iter().map(|outcome| outcome.run.plan.rung) {
        let row = rung.published.map(|published| vec![rung.kernel.into(), published.into()]);
        rows.extend(row.filter(|row| rows.last() != Some(row)));
    }
    (!rows.is_empty())
        .then(|| Table::from_rows("", &["kernel", "published by the tutorial"], &rows).with_text().render())
}

/// Returns a line for each compiler with the files that it compiled at run time.
pub fn compiled_lines(outcomes: &[Outcome]) -> Vec<String> {
    let mut compiled: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for run in runs(outcomes).filter(|run| run.code != PREBUILT) {
        compiled.entry(&run.code).or_default().insert(run.plan.source().name());
    }
    let line = |(code, files): (&str, BTreeSet<String>)| {
        format!("Compiled at run time, {code}: {}", Vec::from_iter(files).join(", "))
    };
    compiled.into_iter().map(line).collect()
}

/// Returns what is wrong with the failed rows.
pub fn failure_lines(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines = Vec::new();
    for Run { plan, report, .. } in runs(outcomes).filter(|run| !run.report.passed()) {
        lines.push(format!(
            "\nWRONG: {}, {}, {} x {}, seed {}: {} of {} values and laws",
            plan.name(),
            plan.describe_size(),
            thousands(plan.grid.into()),
            plan.block,
            plan.size.seed,
            thousands(report.failed as u64),
            thousands(report.compared as u64)
        ));
        lines.extend(report.examples.iter().map(|failure| format!("  {failure}")));
    }
    lines
}

/// Returns the runs of the kernels, and then those made only for comparisons with Rust versions.
fn runs<'o, 'a>(outcomes: &'o [Outcome<'a>]) -> impl Iterator<Item = &'o Run<'a>> {
    let of_twins = outcomes.iter().filter_map(|outcome| outcome.twin.as_ref()).flat_map(|twin| &twin.runs);
    outcomes.iter().map(|outcome| &outcome.run).chain(of_twins)
}
