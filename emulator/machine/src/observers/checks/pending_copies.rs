//! Pending asynchronous copies into shared memory, whose destinations no thread may access.

use super::finding::Hazard;
use super::touch::Touch;
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

/// Returns the hazard of an access to such a byte.
pub(super) fn hazard_of(kind: AccessKind) -> Hazard {
    let reads = matches!(kind, AccessKind::Load | AccessKind::CopyFrom { .. } | AccessKind::Product);
    if reads { Hazard::ReadAfterWrite } else { Hazard::WriteAfterWrite }
}
