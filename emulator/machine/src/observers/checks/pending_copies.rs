//! Pending asynchronous copies: those into shared memory, whose destinations no thread may access, and those out of it, whose sources
//! no thread may write.

use super::finding::Hazard;
use super::touch::Touch;
use crate::isa::asynchronous::Asynchronous;
use crate::machine::events::AccessKind;
use std::collections::HashMap;

/// The issue of the pending copy of each word of a block's shared memory, by the index of the word.
#[derive(Debug, Default)]
pub(super) struct PendingCopies(HashMap<u64, Touch>);

impl PendingCopies {
    /// Resets the copies for a new block.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns whether no copy is pending.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records that a copy was issued (`touch`) or has completed (`None`).
    pub(super) fn set(&mut self, address: u64, bytes: u64, touch: Option<Touch>) {
        for word in address / 4..(address + bytes) / 4 {
            match touch {
                Some(touch) => self.0.insert(word, touch),
                None => self.0.remove(&word),
            };
        }
    }

    /// Returns the issue of the pending copy to the byte at `address`.
    #[inline(always)]
    pub(super) fn at(&self, address: u64) -> Option<Touch> {
        if self.0.is_empty() { None } else { self.0.get(&(address / 4)).copied() }
    }
}

/// The number of bytes that a copy out of shared memory reads together.
const CHUNK: u64 = 16;

/// A thread of the block, by warp and lane.
type Lane = (usize, usize);

/// The copies of a block out of shared memory, for which their threads have not waited.
#[derive(Debug, Default)]
pub(super) struct PendingStores {
    /// The number of groups that each thread has closed.
    closed: HashMap<Lane, u64>,
    /// The last copy that reads each chunk, with its thread and group.
    chunks: HashMap<u64, (Lane, u64, Touch)>,
}

impl PendingStores {
    /// Resets the copies for a new block.
    pub(super) fn clear(&mut self) {
        self.closed.clear();
        self.chunks.clear();
    }

    /// Returns whether no copy is pending.
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Records that a thread has issued a copy.
    pub(super) fn read(&mut self, address: u64, bytes: u64, by: Lane, touch: Touch) {
        let group = self.closed.get(&by).copied().unwrap_or(0);
        (address / CHUNK..(address + bytes).div_ceil(CHUNK)).for_each(|chunk| {
            self.chunks.insert(chunk, (by, group, touch));
        });
    }

    /// Returns the pending copy that reads the byte at `address`.
    #[inline(always)]
    pub(super) fn at(&self, address: u64) -> Option<Touch> {
        if self.chunks.is_empty() { None } else { self.chunks.get(&(address / CHUNK)).map(|(.., touch)| *touch) }
    }

    /// Closes the open group of a thread, or completes its copies except those of the open group and of the last `groups`.
    pub(super) fn step(&mut self, operation: Asynchronous, by: Lane, groups: u64) {
        match operation {
            Asynchronous::CommitStores => *self.closed.entry(by).or_default() += 1,
            Asynchronous::WaitForStores => {
                let closed = self.closed.get(&by).copied().unwrap_or(0);
                self.chunks.retain(|_, (issuer, group, _)| *issuer != by || closed - *group <= groups);
            }
            _ => {}
        }
    }
}

/// Returns the hazard of an access to a byte that a copy will write.
pub(super) fn hazard_of(kind: AccessKind) -> Hazard {
    let reads = matches!(kind, AccessKind::Load | AccessKind::CopyFrom { .. } | AccessKind::Product);
    if reads { Hazard::ReadAfterWrite } else { Hazard::WriteAfterWrite }
}
