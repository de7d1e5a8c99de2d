//! Asynchronous copies into shared memory that have not landed: nobody may touch what they will write.

use super::finding::Hazard;
use super::order::Touch;
use crate::machine::events::AccessKind;
use std::collections::HashMap;

/// Who asked for the copy that each word of a block's shared memory waits for, by the number of the word: copies are
/// made of words.
#[derive(Debug, Default)]
pub(super) struct UnderWay(HashMap<u64, Touch>);

impl UnderWay {
    /// Begins a block.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// A copy is asked for, or lands.
    pub(super) fn set(&mut self, address: u64, bytes: u64, touch: Option<Touch>) {
        for word in address / 4..(address + bytes) / 4 {
            match touch {
                Some(touch) => self.0.insert(word, touch),
                None => self.0.remove(&word),
            };
        }
    }

    /// The copy that the byte at `address` waits for.
    #[inline(always)]
    pub(super) fn at(&self, address: u64) -> Option<Touch> {
        if self.0.is_empty() { None } else { self.0.get(&(address / 4)).copied() }
    }
}

/// What an access of such a byte comes too early for, or too late.
pub(super) fn hazard_of(kind: AccessKind) -> Hazard {
    if kind == AccessKind::Load { Hazard::ReadAfterWrite } else { Hazard::WriteAfterWrite }
}
