//! Occurrences of mistakes, and their merging by source line.

use super::finding::FindingKind;
use std::collections::BTreeMap;

/// The key of a finding: its kind, the position of the earlier access, and the position of the later one.
pub(crate) type Key = (FindingKind, u32, u32);

/// The first occurrence of a finding, and the number of occurrences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub(crate) block: u64,
    pub(crate) address: Option<u64>,
    pub(crate) thread: u32,
    pub(crate) earlier_block: u64,
    pub(crate) earlier_thread: u32,
    pub(crate) count: u64,
    /// The number of the last visit that was counted.
    pub(super) access: u64,
}

/// Merges the findings at the same two lines of source, in the order of the keys. The finding with the largest distance
/// between its threads represents the others, because what orders them orders all.
pub(crate) fn merge<L: Ord>(
    occurrences: impl Iterator<Item = (Key, Occurrence)>,
    line_of: impl Fn(u32) -> L,
) -> Vec<(Key, Occurrence)> {
    let mut merged: BTreeMap<(FindingKind, L, L), (Key, Occurrence)> = BTreeMap::new();
    for (key @ (kind, earlier, position), occurrence) in occurrences {
        let lines = (kind.without_distance(), line_of(earlier), line_of(position));
        let known = merged.entry(lines).or_insert((key, Occurrence { count: 0, ..occurrence }));
        let count = known.1.count + occurrence.count;
        let further = kind.distance() > known.0.0.distance();
        let (key, first) = if further { (key, occurrence) } else { *known };
        *known = (key, Occurrence { count, ..first });
    }
    merged.into_values().collect()
}
