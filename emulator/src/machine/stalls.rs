//! How long splits are parked that wait for a phase of a barrier in shared memory.
//!
//! Hardware lets them go on after a while, with the answer that the phase is not over, and so does the machine when nothing
//! else can run. Where nothing else can run again, and the block is in the same state as the last time, down to the last
//! register, and has looked at nothing that others may change, it always will be: nobody ends the phase.

use super::block::BlockMachine;
use super::events::Observer;
use super::split::Wait;
use std::hash::{DefaultHasher, Hash, Hasher};

impl<O: Observer> BlockMachine<'_, O> {
    /// Sends all parked splits on; false if there are none. Their predicates say that no phase is over.
    pub(super) fn end_waits_for_phases(&mut self) -> bool {
        let parts = self.parts(|wait| wait == Wait::Phase);
        parts.iter().for_each(|part| self.wake(part));
        !parts.is_empty()
    }

    /// The same, if it can lead anywhere that it did not lead before.
    pub(super) fn let_time_pass(&mut self) -> bool {
        if self.parts(|wait| wait == Wait::Phase).is_empty() {
            return false;
        }
        let state = Some(self.fingerprint());
        std::mem::replace(&mut self.last_stall, state) != state && self.end_waits_for_phases()
    }

    /// What decides about the steps to come: registers, memory of the block, where its threads are, and how often it has
    /// looked elsewhere.
    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.looks_elsewhere.hash(&mut hasher);
        self.registers.narrow.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.wide.iter().for_each(|row| row.0.hash(&mut hasher));
        self.registers.predicates.hash(&mut hasher);
        self.memories.shared.hash(&mut hasher);
        self.memories.local.hash(&mut hasher);
        self.copies.closed_groups().for_each(|groups| groups.hash(&mut hasher));
        for (warp, split) in self.waiting() {
            (warp, split.position, split.mask).hash(&mut hasher);
        }
        hasher.finish()
    }
}
