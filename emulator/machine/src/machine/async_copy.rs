//! The start and the completion of asynchronous copies.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{CompletedCopy, Observer};
use super::pending_copies::{Bulk, Copy, ThreadAtBarrier};
use super::stop::Run;
use super::word::{cells, write};
use crate::isa::asynchronous::Asynchronous;

impl<O: Observer> BlockMachine<'_, O> {
    /// Starts copies, or waits for copies.
    pub(super) fn asynchronous(&mut self, step: &BoundStep, operation: Asynchronous) -> Run<bool> {
        self.spin.note_change(true);
        match operation {
            Asynchronous::Copy { .. } => self.issue_copies(step)?,
            Asynchronous::BulkCopy { multicast } => self.issue_bulk_copies(step, multicast)?,
            Asynchronous::BulkStore { sum } => self.store_bulk(step, sum)?,
            Asynchronous::TensorLoad { dimensions, multicast } => {
                self.issue_tensor_loads(step, dimensions.into(), multicast)?;
            }
            Asynchronous::TensorStore { dimensions } => self.store_tensors(step, dimensions.into())?,
            Asynchronous::CommitStores | Asynchronous::WaitForStores => {}
            Asynchronous::Commit | Asynchronous::WaitForAll | Asynchronous::WaitForGroups => {
                for index in 0..self.lanes.warps.len() {
                    self.end_groups(step, operation, index);
                }
            }
        }
        Ok(self.advance())
    }

    /// Closes the open groups of member `index` of the group, and completes those that it waits for.
    fn end_groups(&mut self, step: &BoundStep, operation: Asynchronous, index: usize) {
        let warp = usize::from(self.lanes.warps[index]);
        let mask = self.active(step.guard, index);
        if operation == Asynchronous::WaitForGroups {
            // The number is a constant, so lane 0 holds it, too.
            let groups = self.registers.value(step.operand(0), warp, 0) as u32;
            return self.complete_groups(warp, mask, groups);
        }
        self.copies.commit(warp, mask);
        if operation == Asynchronous::WaitForAll {
            self.complete_groups(warp, mask, 0);
        }
    }

    /// Starts a copy.
    pub(super) fn begin_copy(&mut self, warp: usize, copy: Copy) {
        if let Some(oldest) = self.copies.add(warp, copy) {
            self.complete_copy(warp, &oldest, true);
        }
    }

    /// Starts a bulk copy.
    pub(super) fn begin_bulk(&mut self, bulk: Bulk) -> Run<()> {
        self.copies.add_bulk(bulk).map_or(Ok(()), |oldest| self.complete_bulk(&oldest))
    }

    /// Completes the copies of the lanes `mask`, except those in the last `groups` groups of each lane.
    fn complete_groups(&mut self, warp: usize, mask: u32, groups: u32) {
        for copy in self.copies.take(warp, mask, groups) {
            self.complete_copy(warp, &copy, true);
        }
    }

    /// Completes the copies that arrive at the mbarrier at `offset`.
    pub(super) fn complete_at(&mut self, offset: usize) -> Run<()> {
        while let Some(bulk) = self.copies.take_bulk(offset) {
            self.complete_bulk(&bulk)?;
        }
        while let Some((at, copies)) = self.copies.take_arrival(offset) {
            copies.iter().for_each(|copy| self.complete_copy(at.warp, copy, false));
            self.arrive_completed(&at, None)?;
        }
        Ok(())
    }

    fn complete_copy(&mut self, warp: usize, copy: &Copy, waited: bool) {
        let words = &copy.words[..copy.bytes / 4];
        self.complete(
            words,
            &CompletedCopy {
                warp,
                lane: copy.lane,
                position: copy.position,
                address: copy.to as u64,
                bytes: copy.bytes as u64,
                waited,
            },
        );
    }

    fn complete_bulk(&mut self, bulk: &Bulk) -> Run<()> {
        let ThreadAtBarrier { warp, lane, position, .. } = bulk.at;
        let bytes = 4 * bulk.words.len();
        let address = bulk.to as u64;
        let waited = false;
        self.complete(&bulk.words, &CompletedCopy { warp, lane, position, address, bytes: bytes as u64, waited });
        self.arrive_completed(&bulk.at, Some(bytes as u32))
    }

    fn complete(&mut self, words: &[u32], copy: &CompletedCopy) {
        self.spin.note_change(true);
        let shared = cells(&mut self.memories.shared);
        for (part, &word) in words.iter().enumerate() {
            write(shared, copy.address as usize + 4 * part, 4, word.into());
        }
        self.observer.copy_completed(copy);
    }
}
