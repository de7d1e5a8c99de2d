//! The work of a kernel as a multiple of the solution's.

use crate::counters::{Counts, group_digits};
use crate::set::Card;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The counters whose sum is the sectors that a kernel moves.
const SECTORS: [&str; 5] = [
    "global_load_sectors",
    "global_store_sectors",
    "global_atomic_sectors",
    "local_load_sectors",
    "local_store_sectors",
];

/// A count of a kernel as a multiple of the solution's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The name of the count: `warp instructions`.
    pub what: String,
    /// The multiple.
    pub value: f64,
    /// The multiple above which the kernel is wasteful.
    pub most: f64,
}

impl Share {
    /// Returns whether the kernel is wasteful.
    #[must_use]
    pub fn is_wasteful(&self) -> bool {
        self.value > self.most
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, value, most } = self;
        write!(
            f,
            "{} times as many {what} as the solution (at most {} are expected)",
            group_digits(*value),
            group_digits(*most)
        )
    }
}

/// Returns the multiples of warp instructions and of sectors.
pub(crate) fn shares(card: &Card, learners: &Counts, solution: &Counts) -> [Share; 2] {
    let sum = |counts: &Counts, names: &[&str]| names.iter().filter_map(|name| counts.get(*name)).sum::<u64>() as f64;
    let share = |what: &str, names: &[&str], most| {
        // A solution without a sector has less than one.
        let value = sum(learners, names) / sum(solution, names).max(1.0);
        Share { what: what.into(), value, most }
    };
    [
        share("warp instructions", &["warp_instructions"], card.wasteful.warp_instructions),
        share("sectors of memory", &SECTORS, card.wasteful.sectors),
    ]
}
