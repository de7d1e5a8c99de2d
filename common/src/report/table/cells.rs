//! The texts of single cells.

use crate::ceilings::Unit;
use crate::columns::Column;
use crate::format::{DASH, factor, milliseconds, percent, ratio, thousands};
use crate::outcome::Outcome;
use crate::report::data::steps::{Quantity, compare, global_bytes};
use crate::stage::Rung;
use emulator::{Counters, WARP_SIZE};

/// The tutorial's loop on this CPU, as two rows below the kernels.
pub fn cpu_cells(column: Column, group: &[Outcome], is_timed: bool) -> Vec<String> {
    let has_times = group.iter().any(|outcome| outcome.run.timing.is_some());
    let Some(cpu) = group[0].cpu.as_ref().filter(|_| is_timed && has_times) else { return Vec::new() };
    let scaled = if cpu.scaled_from.is_some() { ", scaled" } else { "" };
    let rows = [(1, cpu.serial_ms), (cpu.threads, cpu.parallel_ms)];
    let rows = rows.into_iter().take(if cpu.threads > 1 { 2 } else { 1 });
    rows.map(|(threads, time)| match column {
        Column::Kernel => format!("CPU, {threads} thread{}{scaled}", if threads == 1 { "" } else { "s" }),
        Column::Time => milliseconds(time),
        Column::VersusCpu => factor(cpu.serial_ms / time),
        _ => String::new(),
    })
    .collect()
}

/// `B  periodic N-body, 4,096 bodies, 1,000 steps`
pub fn title(outcome: &Outcome) -> String {
    let facts = outcome.run.plan.facts();
    format!("{}  {}, {}", facts.letter, facts.title, outcome.run.plan.describe_size())
}

/// The kernel's name; `in Rust` below the row of the same kernel in CUDA C++.
pub fn name(outcome: &Outcome, rows: &[Outcome]) -> String {
    let kernel = outcome.run.plan.rung.kernel;
    let has_row = |other: &Outcome| !other.run.plan.in_rust && other.run.plan.rung.kernel == kernel;
    let is_below = outcome.run.plan.in_rust && rows.iter().any(has_row);
    if is_below { "  in Rust".into() } else { kernel.into() }
}

/// `131,072 x 128`
pub fn shape(outcome: &Outcome) -> String {
    format!("{} x {}", thousands(outcome.run.plan.grid.into()), outcome.run.plan.block)
}

/// The number of the stage that introduces a kernel: `1` of `stage01-naive`.
pub fn stage_of(rung: &Rung) -> Option<String> {
    let digits = rung.stage().strip_prefix("stage")?.split('-').next()?;
    digits.parse::<u32>().ok().map(|number| number.to_string())
}

/// Returns the gain in time over the rung below.
pub fn gain(outcome: &Outcome, rows: &[Outcome]) -> String {
    let below = compare(outcome, rows).filter(|below| below.of == Quantity::Time);
    below.map_or(DASH.into(), |below| factor(below.ratio))
}

pub fn share_of(outcome: &Outcome, unit: Unit) -> Option<String> {
    let shares = outcome.shares.as_ref()?;
    let mark = if shares.is_of_ptx(unit) { "~" } else { "" };
    shares.of_limit.get(&unit).map(|share| format!("{mark}{}", percent(*share)))
}

pub fn each(part: u64, whole: u64, mark: &str) -> String {
    if whole == 0 { DASH.into() } else { format!("{mark}{:.1}", part as f64 / whole as f64) }
}

/// Bytes of all sectors, divided by those of inputs and outputs.
pub fn traffic(outcome: &Outcome) -> Option<f64> {
    Some(global_bytes(outcome.run.counters.as_ref()?) as f64 / outcome.run.cost.bytes_needed_by_a_launch)
}

/// The share of divergent branches; `None` without branches.
pub fn divergent(outcome: &Outcome) -> Option<f64> {
    let counters = outcome.run.counters.as_ref()?;
    (counters.branches > 0).then(|| counters.divergent_branches as f64 / counters.branches as f64)
}

pub fn lanes(counters: &Counters) -> f64 {
    counters.thread_instructions as f64 / (WARP_SIZE as f64 * counters.warp_instructions.max(1) as f64)
}

/// The version in Rust, divided by its kernel in the same launch: time, or on the emulator instructions.
pub fn in_rust(outcome: &Outcome) -> String {
    match &outcome.twin {
        None => DASH.into(),
        Some(twin) if !twin.passed => "WRONG".into(),
        Some(twin) => twin.ratio.map_or(DASH.into(), ratio),
    }
}

/// `fastest`, of the launch shapes of a kernel. On the emulator the best shape moves the least traffic, and of equal ones
/// executes the fewest instructions: counts that a GPU's time follows in part, not the time itself.
pub fn best(outcome: &Outcome, rows: &[Outcome]) -> Option<&'static str> {
    let kernel = |outcome: &Outcome| (outcome.run.plan.rung.kernel, outcome.run.plan.in_rust);
    let shapes = || rows.iter().filter(|other| kernel(other) == kernel(outcome) && other.run.report.passed());
    if shapes().count() < 2 || !outcome.run.report.passed() {
        return None;
    }
    if let Some(own) = outcome.run.timing {
        return shapes()
            .filter_map(|other| other.run.timing)
            .all(|other| own.median <= other.median)
            .then_some("fastest");
    }
    let counts = |outcome: &Outcome| outcome.run.counters.map(|one| (global_bytes(&one), one.warp_instructions));
    let own = counts(outcome)?;
    let others: Vec<(u64, u64)> = shapes().filter_map(counts).collect();
    let has_equal_traffic = others.iter().all(|other| other.0 == own.0);
    let word = if has_equal_traffic { "fewest instructions" } else { "least traffic" };
    others.iter().all(|other| own <= *other).then_some(word)
}

/// The largest relative error of the results.
pub fn error(outcome: &Outcome) -> String {
    match outcome.run.report.max_relative_error {
        0.0 => "exact".into(),
        error => format!("{error:.0e}"),
    }
}
