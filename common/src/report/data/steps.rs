//! Steps: a kernel compared with its rung below, the one that it improves on.

use crate::format::{DASH, factor};
use crate::outcome::Outcome;
use crate::report::print::Table;
use emulator::Counters;
use serde::{Deserialize, Serialize};

/// The comparison of a kernel with its rung below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Below {
    /// Published name of the rung below.
    pub kernel: String,
    /// The quantity of the rung below divided by that of the kernel; above 1, the step is a gain.
    pub ratio: f64,
    /// The quantity that is compared.
    pub of: Quantity,
}

/// The quantity by which two rungs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantity {
    /// Median times, on a GPU.
    #[serde(rename = "time")]
    Time,
    /// Bytes of all sectors of global memory in a launch, on the emulator.
    #[serde(rename = "global bytes")]
    GlobalBytes,
}

const SECTOR_BYTES: u64 = 32;

/// Returns the bytes of all sectors of global memory that a launch loads, copies to shared memory, stores or updates
/// atomically.
#[must_use]
pub fn global_bytes(counters: &Counters) -> u64 {
    SECTOR_BYTES * (loaded_sectors(counters) + counters.global_store_sectors + counters.global_atomic_sectors)
}

/// Returns the bytes of all sectors in a step, whose launches move equally many.
pub fn step_bytes(outcome: &Outcome) -> Option<u64> {
    let launches = outcome.run.plan.launches_of_a_step();
    outcome.counters().map(|counters| u64::from(launches) * global_bytes(&counters))
}

/// Returns whether a ratio of two times says nothing: recorded times of one kernel differ by 0.6 % between stages. Printed, it is 0.99x
/// to 1.01x.
#[must_use]
pub fn is_same(ratio: f64) -> bool {
    (0.985..1.015).contains(&ratio)
}

/// Returns the sectors of global memory that a launch loads, by loads and by asynchronous and bulk copies.
pub fn loaded_sectors(counters: &Counters) -> u64 {
    counters.global_load_sectors + counters.async_copy_sectors + counters.bulk_copy_bytes.div_ceil(SECTOR_BYTES)
}

/// Returns the outcome of the rung below at the same size, if it is among `outcomes` and both are correct. Of several
/// launch shapes, that is the fastest; without times, the one of the same shape.
#[must_use]
pub fn rung_below<'o, 'a>(outcome: &Outcome, outcomes: &'o [Outcome<'a>]) -> Option<&'o Outcome<'a>> {
    let plan = &outcome.run.plan;
    let below = outcome.run.plan.rung.below?;
    let is_comparable = |other: &&Outcome| {
        let other = &other.run.plan;
        other.rung.kernel == below.kernel && (&other.size, other.in_rust) == (&plan.size, plan.in_rust)
    };
    let right = outcomes.iter().filter(|other| other.run.report.passed() && outcome.run.report.passed());
    let found: Vec<_> = right.filter(is_comparable).collect();
    let median = |other: &Outcome| other.timing().map(|timing| timing.median);
    let timed = found.iter().copied().filter(|other| other.timing().is_some());
    let fastest = timed.min_by(|a, b| f64::total_cmp(&median(a).unwrap_or(f64::MAX), &median(b).unwrap_or(f64::MAX)));
    let same_shape = |other: &&Outcome| (other.run.plan.grid, other.run.plan.block) == (plan.grid, plan.block);
    let only = if found.len() == 1 { found.first().copied() } else { None };
    fastest.or(only).or_else(|| found.iter().copied().find(same_shape))
}

/// Returns the comparison for a record; `None` without a rung below.
#[must_use]
pub fn compare(outcome: &Outcome, outcomes: &[Outcome]) -> Option<Below> {
    let below = rung_below(outcome, outcomes)?;
    let (ratio, of) = match below.timing().zip(outcome.timing()) {
        Some((below, own)) => (below.median / own.median, Quantity::Time),
        None => (step_bytes(below)? as f64 / step_bytes(outcome)? as f64, Quantity::GlobalBytes),
    };
    ratio.is_finite().then(|| Below { kernel: below.run.plan.rung.kernel.into(), ratio, of })
}

/// Above this width, the name of the rung below has a line of its own.
const STEP_WIDTH: usize = 46;

/// Returns, for each step, the counts of the rung below divided by its own, as a table; `None` without counts, or
/// without a step.
#[must_use]
pub fn count_table(outcomes: &[Outcome]) -> Option<String> {
    let steps = outcomes.iter().filter_map(|outcome| Some((outcome, rung_below(outcome, outcomes)?)));
    let rows: Vec<Vec<String>> = steps
        .filter_map(|(outcome, below)| {
            let step = step(outcome.run.plan.rung.kernel, below.run.plan.rung.kernel);
            Some(std::iter::once(step).chain(gains(&below.counters()?, &outcome.counters()?)).collect())
        })
        .collect();
    let title = "Reduction by each step: count before / count after; below 1x is an increase, new: none before";
    let table = Table::from_rows(title, &COLUMNS, &rows).without_silent(&COLUMNS);
    (!rows.is_empty()).then(|| table.render())
}

const COLUMNS: [&str; 6] =
    ["step", "global\nrequests", "global\nsectors", "shared\nwavefronts", "barriers", "instructions"];

fn step(own: &str, below: &str) -> String {
    let text = format!("{own} from {below}");
    if text.len() <= STEP_WIDTH { text } else { format!("{own}\n  from {below}") }
}

fn gains(below: &Counters, own: &Counters) -> [String; 5] {
    let loads = |c: &Counters| c.global_load_requests + c.async_copy_requests + c.bulk_copies;
    let requests = |c: &Counters| loads(c) + c.global_store_requests + c.global_atomic_requests;
    let passes = |c: &Counters| c.shared_load_wavefronts + c.shared_store_wavefronts;
    [
        gain(requests(below), requests(own)),
        gain(global_bytes(below), global_bytes(own)),
        gain(passes(below), passes(own)),
        gain(below.barriers, own.barriers),
        gain(below.warp_instructions, own.warp_instructions),
    ]
}

/// `31.9x`: the factor by which the count falls; `new` or `gone` if only one of the two kernels has it.
fn gain(below: u64, own: u64) -> String {
    match (below, own) {
        (0, 0) => DASH.into(),
        (0, _) => "new".into(),
        (_, 0) => "gone".into(),
        _ => factor(below as f64 / own as f64),
    }
}

#[cfg(test)]
mod tests;
