//! The counters that cannot be predicted from PTX, and the reasons.

use crate::measured::Case;
use std::collections::{BTreeMap, BTreeSet};

/// The beginning of a kernel's name, its unpredictable counters, and the reason.
type Reason = (&'static str, &'static [&'static str], &'static str);

const REASONS: &[Reason] = &[
    (
        "shared_reduce_add_u64",
        &["shared_load_wavefronts", "shared_load_conflicts", "shared_atomic_wavefronts", "shared_atomic_conflicts"],
        "no such instruction: ptxas makes it a loop of a load and a compare-and-swap",
    ),
    (
        "shared_reduce_add_f32",
        &["shared_load_wavefronts", "shared_load_conflicts", "shared_atomic_wavefronts", "shared_atomic_conflicts"],
        "no such instruction: ptxas makes it a loop of a load and a compare-and-swap",
    ),
    (
        "global_reduce_one_address",
        &["global_atomic_sectors"],
        "ptxas sees that the address is one for all lanes, adds them up and lets one lane access memory",
    ),
    ("short_way", &["divergent_branches"], "too short for a branch: ptxas makes it a predicated store"),
];

/// Returns the counters of a launch that are not compared, with the reasons.
pub fn of(case: &Case) -> BTreeMap<String, String> {
    let fitting = REASONS.iter().filter(|(kernel, ..)| case.kernel.starts_with(kernel));
    let mut reasons: BTreeMap<String, String> = fitting
        .flat_map(|(_, counters, reason)| counters.iter().map(|name| ((*name).to_owned(), (*reason).to_owned())))
        .collect();
    if (case.kernel.starts_with("global_reduce") || case.kernel.starts_with("global_atomic")) && is_scattered(case) {
        reasons.entry("global_atomic_sectors".to_owned()).or_insert_with(|| SCATTERED.to_owned());
    }
    reasons
}

const SCATTERED: &str =
    "lanes share sectors and lie in more than four 128-byte lines: hardware takes some sectors twice, by no rule known";

/// Returns whether the active lanes access more than four lines, and two of them the same sector.
fn is_scattered(case: &Case) -> bool {
    let active = case.table.lanes().into_iter().enumerate().filter(|(lane, _)| case.mask >> lane & 1 != 0);
    let addresses: Vec<u32> = active.map(|(_, address)| address).collect();
    let distinct = |bytes: u32| addresses.iter().map(|address| address / bytes).collect::<BTreeSet<u32>>().len();
    distinct(128) > 4 && distinct(32) < addresses.len()
}
