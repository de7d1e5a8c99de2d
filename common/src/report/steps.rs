//! What a step bought: a kernel beside its rung below, the one that it improves on.

use super::format::{DASH, render_lines, three_digits};
use crate::session::Outcome;
use emulator::Counters;
use serde::{Deserialize, Serialize};

/// How a kernel compares with its rung below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Below {
    /// Published name of the rung below.
    pub kernel: String,
    /// Its quantity over this kernel's: above 1, the step was a gain.
    pub ratio: f64,
    /// What is compared.
    pub of: Quantity,
}

/// What two rungs are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quantity {
    /// Median times, on a GPU.
    #[serde(rename = "time")]
    Time,
    /// Bytes of all sectors of global memory that a launch touches, on the emulator.
    #[serde(rename = "global bytes")]
    GlobalBytes,
}

/// Bytes of all sectors of global memory that a launch touches.
#[must_use]
pub fn global_bytes(counters: &Counters) -> u64 {
    const SECTOR_BYTES: u64 = 32;
    SECTOR_BYTES * (counters.global_load_sectors + counters.global_store_sectors + counters.global_atomic_sectors)
}

/// The outcome of the rung below at the same size, if it is among `outcomes` and both are right. Of several launch
/// shapes that is the fastest, and without times the one of the same shape.
#[must_use]
pub fn rung_below<'o, 'a>(outcome: &Outcome, outcomes: &'o [Outcome<'a>]) -> Option<&'o Outcome<'a>> {
    let (plan, below) = (&outcome.plan, outcome.plan.rung.below?);
    let is_comparable = |other: &&Outcome| {
        let other = &other.plan;
        other.rung.kernel == below.kernel && (&other.size, other.in_rust) == (&plan.size, plan.in_rust)
    };
    let right = outcomes.iter().filter(|other| other.report.passed() && outcome.report.passed());
    let found: Vec<_> = right.filter(is_comparable).collect();
    let median = |other: &Outcome| other.timing.map(|timing| timing.median);
    let timed = found.iter().copied().filter(|other| other.timing.is_some());
    let fastest = timed.min_by(|a, b| f64::total_cmp(&median(a).unwrap_or(f64::MAX), &median(b).unwrap_or(f64::MAX)));
    let same_shape = |other: &&Outcome| (other.plan.grid, other.plan.block) == (plan.grid, plan.block);
    let only = if found.len() == 1 { found.first().copied() } else { None };
    fastest.or(only).or_else(|| found.iter().copied().find(same_shape))
}

/// The comparison for a record; `None` without a rung below.
#[must_use]
pub fn compared(outcome: &Outcome, outcomes: &[Outcome]) -> Option<Below> {
    let below = rung_below(outcome, outcomes)?;
    let (ratio, of) = match (below.timing, outcome.timing, below.counters, outcome.counters) {
        (Some(below), Some(own), ..) => (below.median / own.median, Quantity::Time),
        (_, _, Some(below), Some(own)) => {
            (global_bytes(&below) as f64 / global_bytes(&own) as f64, Quantity::GlobalBytes)
        }
        _ => return None,
    };
    ratio.is_finite().then(|| Below { kernel: below.plan.rung.kernel.into(), ratio, of })
}

const COLUMNS: [&str; 6] =
    ["step, from the rung below", "global\nrequ.", "global\nbytes", "shared\npasses", "bar-\nriers", "warp\ninstr."];

/// The counts of each rung below over those of its step, as a table; `None` without counts, or without such a pair.
#[must_use]
pub fn counted(outcomes: &[Outcome]) -> Option<String> {
    let pairs = outcomes.iter().filter_map(|outcome| Some((outcome, rung_below(outcome, outcomes)?)));
    let lines: Vec<Vec<String>> = pairs
        .filter_map(|(outcome, below)| {
            let step = format!("{} from {}", outcome.plan.rung.kernel, below.plan.rung.kernel);
            Some(std::iter::once(step).chain(gains(&below.counters?, &outcome.counters?)).collect())
        })
        .collect();
    (!lines.is_empty()).then(|| render_lines(&COLUMNS, &lines))
}

fn gains(below: &Counters, own: &Counters) -> [String; 5] {
    let requests = |c: &Counters| c.global_load_requests + c.global_store_requests + c.global_atomic_requests;
    let passes = |c: &Counters| c.shared_load_wavefronts + c.shared_store_wavefronts;
    [
        gain(requests(below), requests(own)),
        gain(global_bytes(below), global_bytes(own)),
        gain(passes(below), passes(own)),
        gain(below.barriers, own.barriers),
        gain(below.warp_instructions, own.warp_instructions),
    ]
}

/// `31.9x`: the factor by which it is less than below. What only one of both does is `new` or `gone`.
fn gain(below: u64, own: u64) -> String {
    match (below, own) {
        (0, 0) => DASH.into(),
        (0, _) => "new".into(),
        (_, 0) => "gone".into(),
        _ => format!("{}x", three_digits(below as f64 / own as f64)),
    }
}

#[cfg(test)]
mod tests;
