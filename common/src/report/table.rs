//! The table of a run: times and rates on a GPU, counts on the emulator.

use super::format::{DASH, milliseconds, percent, render_groups, three_digits};
use super::steps::{Quantity, compared, global_bytes};
use crate::device::{Backend, Device};
use crate::session::Outcome;
use crate::stage::Stage;
use emulator::Counters;

const WARP: f64 = 32.0;

const GPU_COLUMNS: [&str; 9] = [
    "kernel",
    "grid x\nblock",
    "time\nmedian",
    "ran-\nge",
    "rate\n10^9/s",
    "of\nlim-\nit",
    "reg",
    "occ.",
    "x CPU\ncore",
];

const EMULATOR_COLUMNS: [&str; 10] = [
    "kernel",
    "grid x\nblock",
    "warp\ninst.",
    "sect\nper\nload",
    "sect\nper\nstore",
    "moved/\nneeded",
    "bar-\nriers",
    "shuf-\nfles",
    "di-\nver-\ngent",
    "lan-\nes\nbusy",
];

/// Present on a GPU where a kernel has a rung below.
const BELOW_COLUMN: &str = "x\nbe-\nlow";

/// Present where twins in Rust ran beside the kernels.
const RUST_COLUMN: &str = "in\nRust";

/// The outcomes as a table, grouped by problem and size; `beside` are the twins in Rust of the same launches, or of others
/// with the kernels in CUDA C++ themselves.
#[must_use]
pub fn render(stage: &Stage, device: &Device, outcomes: &[Outcome], beside: &[Outcome], is_sweep: bool) -> String {
    let emulated = device.backend == Backend::Emulator;
    let has_rungs = !emulated && outcomes.iter().any(|outcome| outcome.plan.rung.below.is_some());
    let mut headings: Vec<&str> = if emulated { EMULATOR_COLUMNS.to_vec() } else { GPU_COLUMNS.to_vec() };
    let has_twins = !beside.is_empty();
    headings.extend(has_rungs.then_some(BELOW_COLUMN));
    headings.extend(has_twins.then_some(RUST_COLUMN).into_iter().chain(["check"]));
    let rows = outcomes.iter().map(|outcome| {
        let mut cells = launch_cells(stage, outcome, outcomes, is_sweep).to_vec();
        cells.extend(if emulated { emulator_cells(outcome) } else { gpu_cells(device, outcome) });
        cells.extend(has_rungs.then(|| below_cell(outcome, outcomes)));
        cells.extend(has_twins.then(|| rust_cell(outcome, outcomes, beside)));
        cells.push(check(outcome));
        (group_title(outcome), cells)
    });
    render_groups(&headings, rows)
}

/// `B  periodic N-body, 4096 bodies, 1000 steps`
pub(super) fn group_title(outcome: &Outcome) -> String {
    let facts = outcome.plan.facts();
    format!("{}  {}, {}", facts.letter, facts.title, outcome.plan.describe_size())
}

/// Whether no other launch shape of the same kernel was faster.
pub(super) fn is_best(outcome: &Outcome, outcomes: &[Outcome]) -> bool {
    let kernel = |outcome: &Outcome| (outcome.plan.rung.kernel, outcome.plan.in_rust);
    let same = outcomes.iter().filter(|other| kernel(other) == kernel(outcome));
    let Some(own) = outcome.timing else { return false };
    same.filter_map(|other| other.timing).all(|other| own.median <= other.median)
}

/// The kernel's name; a twin below the line of its kernel says its language instead.
pub(super) fn name(outcome: &Outcome, outcomes: &[Outcome]) -> String {
    let kernel = outcome.plan.rung.kernel;
    let has_line = |other: &Outcome| !other.plan.in_rust && other.plan.rung.kernel == kernel;
    let is_below = outcome.plan.in_rust && outcomes.iter().any(has_line);
    if is_below { "  in Rust".into() } else { kernel.into() }
}

/// Kernel and launch shape, with their marks: `^` for a rung of an earlier stage, `*` for the best of a sweep.
pub(super) fn launch_cells(stage: &Stage, outcome: &Outcome, outcomes: &[Outcome], is_sweep: bool) -> [String; 2] {
    let plan = &outcome.plan;
    let mark = if is_sweep && is_best(outcome, outcomes) { "*" } else { "" };
    let name = name(outcome, outcomes);
    let baseline = if stage.is_baseline(plan.rung) && name == plan.rung.kernel { " ^" } else { "" };
    [format!("{name}{baseline}"), format!("{mark}{}x{}", plan.grid, plan.block)]
}

/// What the step from the rung below bought, in time.
pub(super) fn below_cell(outcome: &Outcome, outcomes: &[Outcome]) -> String {
    let below = compared(outcome, outcomes).filter(|below| below.of == Quantity::Time);
    below.map_or(DASH.into(), |below| three_digits(below.ratio))
}

/// What the twin in Rust takes in relation to its kernel in the same launch, time or on the emulator instructions.
fn rust_cell(outcome: &Outcome, outcomes: &[Outcome], beside: &[Outcome]) -> String {
    let launch = |of: &Outcome| (of.plan.rung.kernel, of.plan.size.clone(), of.plan.grid, of.plan.block);
    let twins =
        || beside.iter().filter(|other| other.plan.in_rust && other.plan.rung.kernel == outcome.plan.rung.kernel);
    let of_this_launch = twins().find(|twin| launch(twin) == launch(outcome));
    let Some(twin) = of_this_launch.or_else(|| twins().find(|twin| twin.is_beside)) else { return DASH.into() };
    if !twin.report.passed() {
        return "FAIL".into();
    }
    let mut kernels = outcomes.iter().chain(beside).filter(|other| !other.plan.in_rust);
    let kernel = kernels.find(|kernel| launch(kernel) == launch(twin));
    kernel.and_then(|kernel| ratio(twin, kernel)).map_or(DASH.into(), three_digits)
}

fn ratio(twin: &Outcome, kernel: &Outcome) -> Option<f64> {
    match (twin.timing, kernel.timing) {
        (Some(twin), Some(kernel)) => Some(twin.median / kernel.median),
        _ => Some(twin.counters?.warp_instructions as f64 / kernel.counters?.warp_instructions as f64),
    }
}

fn gpu_cells(device: &Device, outcome: &Outcome) -> Vec<String> {
    let timing = outcome.timing;
    let rate = outcome.per_second(Some(outcome.cost.amount)).map(|rate| three_digits(rate / 1e9));
    let speed_up = timing.map(|timing| three_digits(outcome.cpu.serial_ms / timing.median));
    vec![
        timing.map_or(DASH.into(), |timing| milliseconds(timing.median)),
        timing.map_or(DASH.into(), |timing| percent((timing.high - timing.low) / timing.median)),
        rate.unwrap_or(DASH.into()),
        outcome.limit_share(device).map_or(DASH.into(), percent),
        outcome.registers.map_or(DASH.into(), |count| count.to_string()),
        outcome.occupancy.map_or(DASH.into(), percent),
        speed_up.unwrap_or(DASH.into()),
    ]
}

fn emulator_cells(outcome: &Outcome) -> Vec<String> {
    match &outcome.counters {
        Some(counters) => count_cells(counters, outcome.cost.bytes_needed_by_a_launch),
        None => vec![DASH.into(); EMULATOR_COLUMNS.len() - 2],
    }
}

fn count_cells(counters: &Counters, bytes_needed: f64) -> Vec<String> {
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let per_request = |sectors, requests| share(sectors, requests).map_or(DASH.into(), |value| format!("{value:.1}"));
    let moved = global_bytes(counters) as f64 / bytes_needed;
    vec![
        three_digits(counters.warp_instructions as f64),
        per_request(counters.global_load_sectors, counters.global_load_requests),
        per_request(counters.global_store_sectors, counters.global_store_requests),
        format!("{}x", three_digits(moved)),
        three_digits(counters.barriers as f64),
        three_digits(counters.shuffles as f64),
        share(counters.divergent_branches, counters.branches).map_or(DASH.into(), percent),
        share(counters.thread_instructions, counters.warp_instructions)
            .map_or(DASH.into(), |lanes| percent(lanes / WARP)),
    ]
}

/// `ok` with the largest relative error, or `FAILED`.
pub(super) fn check(outcome: &Outcome) -> String {
    match (outcome.report.passed(), outcome.report.max_relative_error) {
        (false, _) => "FAILED".into(),
        (true, 0.0) => "exact".into(),
        (true, error) => format!("ok {error:.0e}"),
    }
}

#[cfg(test)]
mod tests;
