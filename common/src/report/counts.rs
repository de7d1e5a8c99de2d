//! `--counters`: what each kernel does to memory, beside its time. On a GPU the counts are the emulator's, of the same
//! kernels on the same inputs: no profiler, no privileges.
//!
//! On a GPU the same program is started again on the emulator, one process per launch: a process keeps one driver, and
//! so the counts come by the same way as everywhere else.

use super::format::{DASH, milliseconds, percent, render_groups, three_digits};
use super::record::Record;
use super::results::{devices, folder};
use super::steps::global_bytes;
use super::table::{below_cell, check, group_title, launch_cells};
use crate::device::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::plan::Plan;
use crate::session::Outcome;
use crate::stage::{Grid, Stage};
use emulator::Counters;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Columns after those of times.
const COLUMNS: [&str; 7] =
    ["sect/\nload", "sect/\nstore", "confl/\nsh.load", "confl/\nsh.store", "moved/\nneeded", "lanes\nbusy", "check"];

/// What a learner should know of the columns of counts.
pub const LEGEND: &str = "Counts are the emulator's, of one launch. sect: 32-byte sectors per request of a warp. confl:\n\
     bank conflicts per request of a warp to shared memory. moved/needed: bytes of all sectors, over those of\n\
     inputs and outputs once.";

/// Counts one launch of a plan on the emulator, in another process of the stage's `program`: this one has opened the
/// GPU's driver for good.
///
/// # Errors
/// [`Error::Counters`], with the words of that process.
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

/// The options that make the same launch with the same inputs; one step, since each counts the same.
fn arguments(plan: &Plan, options: &Options) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["--device", "emulator", "--json", "--kernel", plan.rung.kernel].map(Into::into).into();
    let mut add = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    add("--n", plan.size.n.to_string());
    add("--seed", plan.size.seed.to_string());
    add("--block", plan.block.to_string());
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
    if options.nvrtc {
        arguments.push("--nvrtc".into());
    }
    arguments
}

/// The outcomes as a table of times, where there are any, and counts.
#[must_use]
pub fn render(stage: &Stage, backend: Backend, outcomes: &[Outcome], is_sweep: bool, readings: &Readings) -> String {
    let timed = backend == Backend::Cuda;
    let has_rungs = timed && outcomes.iter().any(|outcome| outcome.plan.rung.below.is_some());
    let mut headings = vec!["kernel", "grid x\nblock"];
    headings.extend(timed.then_some("time\nmedian").into_iter().chain(has_rungs.then_some("x be-\nlow")));
    headings.extend(COLUMNS);
    let rows = outcomes.iter().map(|outcome| {
        let mut cells = launch_cells(stage, outcome, outcomes, is_sweep).to_vec();
        let time = || outcome.timing.map_or(DASH.into(), |timing| milliseconds(timing.median));
        cells.extend(timed.then(time).into_iter().chain(has_rungs.then(|| below_cell(outcome, outcomes))));
        cells.extend(count_cells(outcome, readings));
        cells.push(check(outcome));
        (group_title(outcome), cells)
    });
    render_groups(&headings, rows)
}

fn count_cells(outcome: &Outcome, readings: &Readings) -> Vec<String> {
    let Some(counters) = &outcome.counters else { return vec![DASH.into(); COLUMNS.len() - 1] };
    // Readings are of the kernels in CUDA C++.
    let differs = |counter| !outcome.plan.in_rust && readings.differ(outcome.plan.rung.kernel, counter);
    let mark = |counter| if differs(counter) { "~" } else { "" };
    let each = |part: u64, whole: u64, mark: &str| match whole {
        0 => DASH.into(),
        _ => format!("{mark}{:.1}", part as f64 / whole as f64),
    };
    let moved = global_bytes(counters) as f64 / outcome.cost.bytes_needed_by_a_launch;
    let busy = counters.thread_instructions as f64 / (32 * counters.warp_instructions.max(1)) as f64;
    let (load, shared) = (mark("global_load_sectors"), mark("shared_load_wavefronts"));
    vec![
        each(counters.global_load_sectors, counters.global_load_requests, load),
        each(counters.global_store_sectors, counters.global_store_requests, ""),
        each(counters.shared_load_conflicts, counters.shared_load_requests, shared),
        each(counters.shared_store_conflicts, counters.shared_store_requests, ""),
        format!("{}x", three_digits(moved)),
        percent(busy),
    ]
}

/// Where Nsight Compute read something else than the emulator counts, because ptxas changes the accesses of the PTX:
/// `nsight-compute.json` of the devices in `results/`.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// The reason, by kernel and counter.
    differences: BTreeMap<(String, String), String>,
}

#[derive(Deserialize)]
struct File {
    kernels: Vec<Reading>,
}

#[derive(Deserialize)]
struct Reading {
    kernel: String,
    differs: BTreeMap<String, String>,
}

impl Readings {
    /// Reads what is recorded; nothing where there is no folder `results`.
    #[must_use]
    pub fn of(stage: &Stage) -> Self {
        let Some(folder) = folder(stage) else { return Self::default() };
        let read = |device| std::fs::read_to_string(folder.join(device).join("nsight-compute.json")).ok();
        let files =
            devices(&folder).into_iter().filter_map(read).filter_map(|text| serde_json::from_str::<File>(&text).ok());
        let readings = files.flat_map(|file| file.kernels);
        let differences = readings.flat_map(|Reading { kernel, differs }| {
            differs.into_iter().map(move |(counter, reason)| ((kernel.clone(), counter), reason))
        });
        Self { differences: differences.collect() }
    }

    /// Whether a counter of a kernel is the PTX's own.
    fn differ(&self, kernel: &str, counter: &str) -> bool {
        self.differences.contains_key(&(kernel.to_owned(), counter.to_owned()))
    }

    /// What the marks of these outcomes mean, one line a reason.
    #[must_use]
    pub fn footnotes(&self, outcomes: &[Outcome]) -> Vec<String> {
        let kernels: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.plan.rung.kernel).collect();
        let known = self.differences.iter().filter(|((kernel, _), _)| kernels.contains(kernel.as_str()));
        let reasons: BTreeSet<&String> = known.map(|(_, reason)| reason).collect();
        reasons.into_iter().map(|reason| format!("~ of the PTX: {reason}.")).collect()
    }
}
