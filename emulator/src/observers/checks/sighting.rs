//! Findings before their positions are looked up, and how those of the same lines are one.

use super::finding::FindingKind;
use std::collections::BTreeMap;

/// A finding before its positions are looked up: kind, earlier position, position.
pub(crate) type Key = (FindingKind, u32, u32);

/// Where a finding was seen first, and how often it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sighting {
    pub(crate) block: u64,
    pub(crate) address: Option<u64>,
    pub(crate) thread: u32,
    pub(crate) earlier_block: u64,
    pub(crate) earlier_thread: u32,
    pub(crate) count: u64,
    /// The last access that was counted.
    pub(super) access: u64,
}

/// Brings together what was seen of the same two lines of source, in the order of the keys. Threads that are further
/// apart stand for the others: what orders them orders the others too.
pub(crate) fn merged<L: Ord>(
    sightings: impl Iterator<Item = (Key, Sighting)>,
    line_of: impl Fn(u32) -> L,
) -> Vec<(Key, Sighting)> {
    let mut merged: BTreeMap<(FindingKind, L, L), (Key, Sighting)> = BTreeMap::new();
    for (key @ (kind, earlier, position), sighting) in sightings {
        let lines = (kind.without_distance(), line_of(earlier), line_of(position));
        let known = merged.entry(lines).or_insert((key, Sighting { count: 0, ..sighting }));
        let count = known.1.count + sighting.count;
        let further = kind.distance() > known.0.0.distance();
        let (key, first) = if further { (key, sighting) } else { *known };
        *known = (key, Sighting { count, ..first });
    }
    merged.into_values().collect()
}
