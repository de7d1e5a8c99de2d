//! `--counters` on a GPU: the emulator's counts of the same launches, which need no profiler and no privileges.
//!
//! A process uses one driver, so each launch is counted by another process of the same program.

use super::Record;
use crate::error::Error;
use crate::options::Options;
use crate::stage::{Grid, Plan};
use emulator::Counters;
use std::path::Path;
use std::process::Command;

/// Counts one launch of a plan on the emulator, in another process of the stage's `program`.
///
/// # Errors
/// [`Error::Counters`] with the standard error of that process, if it prints no record.
pub fn count(program: &Path, plan: &Plan, options: &Options) -> Result<Counters, Error> {
    let failed = |reason: String| Error::Counters(format!("{} on the emulator: {reason}", plan.rung.kernel));
    let output = Command::new(program).args(arguments(plan, options)).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let record = stdout.lines().last().and_then(|line| serde_json::from_str::<Record>(line).ok());
    record.and_then(|record| record.counters).ok_or_else(|| {
        let words = String::from_utf8_lossy(&output.stderr);
        failed(words.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; "))
    })
}

/// Returns the options for the same launch with the same inputs; a single step, because all steps have the same counts.
fn arguments(plan: &Plan, options: &Options) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["--device", "emulator", "--no-estimate", "--json", "--kernel", plan.rung.kernel].map(Into::into).into();
    let mut add = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    add("--n", plan.size.n.to_string());
    if plan.facts().is_seeded {
        add("--seed", plan.size.seed.to_string());
    }
    add("--block", plan.block.to_string());
    add("--budget", options.budget.to_string());
    if let Grid::Stride(_) = plan.rung.grid {
        add("--grid", plan.grid.to_string());
    }
    if plan.size.steps.is_some() {
        add("--steps", "1".into());
    }
    for (name, value) in plan.size.parameters.iter() {
        add(&format!("--{name}"), value.to_string());
    }
    add("--language", if plan.in_rust { "rust" } else { "cuda" }.into());
    if let Some(choice) = options.compiler {
        arguments.extend(["--compiler".into(), choice.to_string()]);
    }
    arguments
}
