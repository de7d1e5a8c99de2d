//! Timeouts of waits for a phase of an mbarrier.
//!
//! On hardware a wait ends after a time limit with the result that the phase is not complete. The machine ends waits when
//! nothing else can run. If nothing can run again, the state of the block, including all registers, is the same as last
//! time, and the block has not accessed anything that others may change, then the phase never completes: deadlock.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::Wait;
use std::hash::{DefaultHasher, Hash, Hasher};

impl<O: Observer> BlockMachine<'_, O> {
    /// Ends all waits for phases, and returns whether there were any. The predicates of the lanes are false already.
    pub(super) fn time_out_phase_waits(&mut self) -> bool {
        let parts = self.parts(&|wait| wait == Wait::Phase);
        parts.iter().for_each(|part| self.wake(part));
        !parts.is_empty()
    }

    /// Ends all waits for phases unless the block is in the same state as at the last timeout. Returns whether it ended
    /// any.
    pub(super) fn time_out_unless_repeated(&mut self) -> bool {
        if self.parts(&|wait| wait == Wait::Phase).is_empty() {
            return false;
        }
        let state = Some(self.fingerprint());
        std::mem::replace(&mut self.last_timeout, state) != state && self.time_out_phase_waits()
    }

    /// Returns a hash of the state that determines the following steps: registers, memory of the block, positions of its
    /// threads, and the number of its external accesses.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.external_accesses.hash(&mut hasher);
        self.registers.narrow.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.wide.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.predicates.hash(&mut hasher);
        self.memories.shared.hash(&mut hasher);
        self.memories.local.hash(&mut hasher);
        self.copies.closed_groups().for_each(|groups| groups.hash(&mut hasher));
        for (warp, split) in self.splits() {
            (warp, split.position, split.mask).hash(&mut hasher);
        }
        hasher.finish()
    }
}
