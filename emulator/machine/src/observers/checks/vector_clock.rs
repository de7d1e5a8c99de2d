//! Vector clocks: the accesses of other blocks that are ordered before a point in a warp, whatever the schedule.
//!
//! A block releases its accesses by a fence and a following write that others read: an atomic, or a volatile or ordered
//! store (a release store needs no fence). A thread that reads the written value acquires the clock that the writer had at
//! its fence, and releases it with its own fences. So do all threads after a barrier of the block.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// The accesses that are ordered before a point, by the threads that made them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VectorClock {
    /// By block: the accesses before this number of its barriers.
    blocks: Vec<(u64, u32)>,
    /// By block and warp: the accesses before this number of its fences, or of its strong writes.
    warps: Vec<((u64, u16), u32)>,
}

/// The number that stands for copies in place of a warp's.
const COPIES: u16 = u16::MAX;

/// A shared clock; `None` is the initial clock.
pub(super) type SharedClock = Option<Arc<VectorClock>>;

impl VectorClock {
    /// Returns the clock that a warp releases for its own block after this number of fences or strong writes.
    pub(super) fn for_warp(block: u64, barriers: u32, warp: u16, count: u32) -> Self {
        Self { blocks: vec![(block, barriers)], warps: vec![((block, warp), count)] }
    }

    /// Returns the clock of the copies of a block that have completed before this time of its mbarriers.
    pub(super) fn for_copies(block: u64, time: u32) -> Self {
        Self { blocks: Vec::new(), warps: vec![((block, COPIES), time)] }
    }

    /// Returns whether a copy that completed after so many barriers of the block, at this time of its mbarriers, is ordered before the
    /// point.
    pub(super) fn covers_copy(&self, block: u64, barriers: u32, time: u32) -> bool {
        self.covers(block, barriers, COPIES, time)
    }

    /// Returns whether any access of a block is ordered before the point.
    pub(super) fn knows(&self, block: u64) -> bool {
        self.blocks.binary_search_by_key(&block, |entry| entry.0).is_ok()
    }

    /// Returns whether an access that a warp made after this many barriers, and fences or strong writes, is ordered before the
    /// point.
    pub(super) fn covers(&self, block: u64, barriers: u32, warp: u16, count: u32) -> bool {
        value(&self.blocks, block) > barriers || value(&self.warps, (block, warp)) > count
    }
}

fn value<K: Ord + Copy>(entries: &[(K, u32)], key: K) -> u32 {
    entries.binary_search_by_key(&key, |entry| entry.0).map_or(0, |index| entries[index].1)
}

/// Returns the larger of the entries of each key. Both slices are sorted by key.
fn merge<K: Ord + Copy>(left: &[(K, u32)], right: &[(K, u32)]) -> Vec<(K, u32)> {
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
    let mut l = 0;
    let mut r = 0;
    while let (Some(&here), Some(&there)) = (left.get(l), right.get(r)) {
        merged.push(match here.0.cmp(&there.0) {
            Ordering::Less => here,
            Ordering::Greater => there,
            Ordering::Equal => (here.0, here.1.max(there.1)),
        });
        (l, r) = (l + usize::from(here.0 <= there.0), r + usize::from(there.0 <= here.0));
    }
    merged.extend(&left[l..]);
    merged.extend(&right[r..]);
    merged
}

/// Returns the join of two clocks.
pub(super) fn join_clocks(left: &SharedClock, right: &SharedClock) -> SharedClock {
    match (left, right) {
        (None, clock) | (clock, None) => clock.clone(),
        (Some(l), Some(r)) if Arc::ptr_eq(l, r) => left.clone(),
        (Some(l), Some(r)) => {
            let clock = VectorClock { blocks: merge(&l.blocks, &r.blocks), warps: merge(&l.warps, &r.warps) };
            // An unchanged clock stays shared.
            if clock == **l { left.clone() } else { Some(Arc::new(clock)) }
        }
    }
}

/// The clocks released in words of global memory, by address.
#[derive(Debug, Default)]
pub(super) struct ReleasedClocks(HashMap<u64, SharedClock>);

impl ReleasedClocks {
    /// Returns the clock that a read of `bytes` bytes at `address` acquires.
    pub(super) fn acquire(&self, address: u64, bytes: u64) -> SharedClock {
        words(address, bytes).filter_map(|word| self.0.get(&word)).fold(None, |clock, word| join_clocks(&clock, word))
    }

    /// Releases a clock by a write of `bytes` bytes at `address`. An atomic also keeps the clock released there before.
    pub(super) fn release(&mut self, address: u64, bytes: u64, clock: &SharedClock, atomic: bool) {
        for word in words(address, bytes) {
            match self.0.get_mut(&word) {
                Some(known) if atomic => *known = join_clocks(known, clock),
                Some(known) => known.clone_from(clock),
                None if clock.is_some() => drop(self.0.insert(word, clock.clone())),
                None => {}
            }
        }
    }
}

fn words(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    (address / 4..=(address + bytes - 1) / 4).map(|word| 4 * word)
}
