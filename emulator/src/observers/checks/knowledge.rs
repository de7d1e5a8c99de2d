//! What a warp knows of other blocks: which of their accesses are over, whatever the schedule.
//!
//! A block hands over what it did by a fence and then a write that others read: an atomic, or a store that is volatile or
//! ordered (a release store needs no fence). Whoever reads what was written knows what was known to the writer at its
//! fence, and tells it on by its own fences. So do all threads behind a barrier of the block.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// Accesses that are over, by those who made them: a vector clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// Of each block, those before this number of its barriers.
    blocks: Vec<(u64, u32)>,
    /// Of each block and warp, those before this number of its fences.
    warps: Vec<((u64, u16), u32)>,
}

/// A clock that many share; `None` is that of who knows nothing.
pub(super) type Known = Option<Arc<Clock>>;

impl Clock {
    /// What a fence of a warp tells of its own block.
    pub(super) fn of_fence(block: u64, barriers: u32, warp: u16, fences: u32) -> Self {
        Self { blocks: vec![(block, barriers)], warps: vec![((block, warp), fences)] }
    }

    /// Whether an access is over that a warp made after this many barriers and fences.
    pub(super) fn covers(&self, block: u64, barriers: u32, warp: u16, fences: u32) -> bool {
        value(&self.blocks, block) > barriers || value(&self.warps, (block, warp)) > fences
    }
}

fn value<K: Ord + Copy>(entries: &[(K, u32)], key: K) -> u32 {
    entries.binary_search_by_key(&key, |entry| entry.0).map_or(0, |index| entries[index].1)
}

/// The larger of the entries for each key; both ascend by key.
fn merged<K: Ord + Copy>(left: &[(K, u32)], right: &[(K, u32)]) -> Vec<(K, u32)> {
    let mut merged = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (0, 0);
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

/// What both know together.
pub(super) fn joined(left: &Known, right: &Known) -> Known {
    match (left, right) {
        (None, known) | (known, None) => known.clone(),
        (Some(l), Some(r)) if Arc::ptr_eq(l, r) => left.clone(),
        (Some(l), Some(r)) => {
            let clock = Clock { blocks: merged(&l.blocks, &r.blocks), warps: merged(&l.warps, &r.warps) };
            // Who learns nothing new keeps what it shares.
            if clock == **l { left.clone() } else { Some(Arc::new(clock)) }
        }
    }
}

/// What the words of global memory hand over, by address.
#[derive(Debug, Default)]
pub(super) struct Words(HashMap<u64, Known>);

impl Words {
    /// What whoever reads the words in `bytes` bytes at `address` comes to know.
    pub(super) fn read(&self, address: u64, bytes: u64) -> Known {
        words(address, bytes).filter_map(|word| self.0.get(&word)).fold(None, |known, word| joined(&known, word))
    }

    /// They are written by who `knows` this. What an atomic leaves there hands over what was there before it too.
    pub(super) fn write(&mut self, address: u64, bytes: u64, knows: &Known, atomic: bool) {
        for word in words(address, bytes) {
            match self.0.get_mut(&word) {
                Some(known) if atomic => *known = joined(known, knows),
                Some(known) => known.clone_from(knows),
                None if knows.is_some() => drop(self.0.insert(word, knows.clone())),
                None => {}
            }
        }
    }
}

fn words(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    (address / 4..=(address + bytes - 1) / 4).map(|word| 4 * word)
}
