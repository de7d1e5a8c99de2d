//! When asynchronous copies are asked for, and when they land.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::copies::{At, Bulk, Copy};
use super::events::{Landing, Observer};
use super::stop::Run;
use super::word::{cells, write};
use crate::isa::asynchronous::Asynchronous;

impl<O: Observer> BlockMachine<'_, O> {
    /// Asks for copies, or waits for some.
    pub(super) fn asynchronous(&mut self, step: &BoundStep, operation: Asynchronous) -> Run<bool> {
        self.patience.notice(true);
        if let Asynchronous::Copy { .. } = operation {
            self.ask_for_copies(step)?;
            return Ok(self.go_on());
        }
        if operation == Asynchronous::BulkCopy {
            self.ask_for_bulk_copies(step)?;
            return Ok(self.go_on());
        }
        for index in 0..self.lanes.warps.len() {
            let (warp, mask) = (usize::from(self.lanes.warps[index]), self.active(step.guard, index));
            match operation {
                // The number is a constant: lane 0 has it too.
                Asynchronous::WaitForGroups => {
                    let groups = self.registers.value(step.operand(0), warp, 0) as u32;
                    self.land(warp, mask, groups);
                }
                Asynchronous::WaitForAll => {
                    self.copies.commit(warp, mask);
                    self.land(warp, mask, 0);
                }
                Asynchronous::Commit => self.copies.commit(warp, mask),
                // Those have been asked for.
                Asynchronous::Copy { .. } | Asynchronous::BulkCopy => {}
            }
        }
        Ok(self.go_on())
    }

    /// Begins a copy.
    pub(super) fn begin_copy(&mut self, warp: usize, copy: Copy) {
        if let Some(oldest) = self.copies.add(warp, copy) {
            self.write_copy(warp, &oldest, true);
        }
    }

    /// Begins a bulk copy.
    pub(super) fn begin_bulk(&mut self, bulk: Bulk) -> Run<()> {
        self.copies.add_bulk(bulk).map_or(Ok(()), |oldest| self.write_bulk(&oldest))
    }

    /// Ends the copies of the lanes `mask` but for those of their last `groups` groups.
    fn land(&mut self, warp: usize, mask: u32, groups: u32) {
        for copy in self.copies.take(warp, mask, groups) {
            self.write_copy(warp, &copy, true);
        }
    }

    /// Ends the copies that arrive at the barrier at `offset`.
    pub(super) fn land_at(&mut self, offset: usize) -> Run<()> {
        while let Some(bulk) = self.copies.take_bulk(offset) {
            self.write_bulk(&bulk)?;
        }
        while let Some((at, copies)) = self.copies.take_arrival(offset) {
            copies.iter().for_each(|copy| self.write_copy(at.warp, copy, false));
            self.arrive_landed(&at, None)?;
        }
        Ok(())
    }

    fn write_copy(&mut self, warp: usize, copy: &Copy, waited: bool) {
        let words = &copy.words[..copy.bytes / 4];
        self.write_landed(
            words,
            &Landing {
                warp,
                lane: copy.lane,
                position: copy.position,
                address: copy.to as u64,
                bytes: copy.bytes as u64,
                waited,
            },
        );
    }

    fn write_bulk(&mut self, bulk: &Bulk) -> Run<()> {
        let At { warp, lane, position, .. } = bulk.at;
        let bytes = 4 * bulk.words.len();
        let (address, waited) = (bulk.to as u64, false);
        self.write_landed(&bulk.words, &Landing { warp, lane, position, address, bytes: bytes as u64, waited });
        self.arrive_landed(&bulk.at, Some(bytes as u32))
    }

    fn write_landed(&mut self, words: &[u32], landing: &Landing) {
        self.patience.notice(true);
        let shared = cells(&mut self.memories.shared);
        for (part, &word) in words.iter().enumerate() {
            write(shared, landing.address as usize + 4 * part, 4, word.into());
        }
        self.observer.landed(landing);
    }
}
