//! Bulk copies from global to shared memory, which a thread issues and whose completion an mbarrier tracks; and bulk stores, in the
//! other direction, which are in groups.

use super::Request;
use super::atomic::combine_on_device;
use super::copy::WORD;
use crate::ground::cluster::rank_of;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::memory::AtomicFunction;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::pending_copies::{Bulk, ThreadAtBarrier};
use crate::machine::stop::Run;
use crate::machine::word::{read, update, write};

/// The alignment of the addresses and the size of a bulk copy, in bytes.
const UNIT: u64 = 16;

/// The bytes that a bulk copy writes to shared memory.
pub(super) struct Sent {
    /// The address of the destination.
    pub(super) to: u64,
    /// The address of the mbarrier.
    pub(super) barrier: u64,
    pub(super) words: Vec<u32>,
    /// Whether the copy goes to all blocks of the mask that was set aside.
    pub(super) multicast: bool,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Issues the bulk copies of a group. The operands are the address in shared memory, the address in global memory, the
    /// number of bytes, and the address of the mbarrier.
    pub(in crate::machine) fn issue_bulk_copies(&mut self, step: &BoundStep, multicast: bool) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            for lane in active(self.active(step.guard, index)) {
                self.issue_bulk_copy(step, (index, lane), multicast)?;
            }
        }
        Ok(())
    }

    fn issue_bulk_copy(&mut self, step: &BoundStep, (index, lane): (usize, usize), multicast: bool) -> Run<()> {
        let warp = usize::from(self.lanes.warps[index]);
        let position = self.group.position;
        let operand = |operand| self.registers.value(step.operand(operand), warp, lane);
        let [to, from, bytes, barrier] = [0, 1, 2, 3].map(operand);
        self.external_accesses += 1;
        self.check_units((index, lane), to, from, bytes)?;
        let addresses = Addresses { pattern: Pattern::Uniform(from), mask: 1 << lane, bytes: bytes as u32 };
        let out_of = Request { step, index, warp, space: Space::Global, element: WORD, lanes: 1, addresses };
        let Some(region) = self.memories.view.find(position as usize, from, bytes) else {
            return Err(self.device_fault(&out_of, lane));
        };
        let first = (from - region.base) as usize;
        let words = (0..bytes as usize / 4).map(|word| read(&region.words, first + 4 * word, 4) as u32).collect();
        self.observe(&out_of, AccessKind::CopyFrom { bulk: true });
        self.send(step, (index, lane), &Sent { to, barrier, words, multicast })
    }

    /// Checks that both addresses and the size of a bulk copy of a lane are multiples of [`UNIT`].
    fn check_units(&self, (index, lane): (usize, usize), shared: u64, global: u64, bytes: u64) -> Run<()> {
        let values =
            [(shared, "address", "shared memory at "), (global, "address", "global memory at "), (bytes, "size", "")];
        let wrong = values.into_iter().find(|(value, ..)| !value.is_multiple_of(UNIT));
        wrong.map_or(Ok(()), |(value, what, memory)| {
            let detail = format!("the {what} of a bulk copy, {memory}{value:#x}, is not a multiple of {UNIT}");
            Err(self.fault(FaultKind::Misaligned, index, 1 << lane, detail))
        })
    }

    /// Copies from shared to global memory, or adds to what is there. The operands are the address in global memory, the address in
    /// shared memory, and the number of bytes. Like stores of tensors, these complete at once.
    pub(in crate::machine) fn store_bulk(&mut self, step: &BoundStep, sum: Option<(AtomicFunction, u8)>) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            for lane in active(self.active(step.guard, index)) {
                self.store_bulk_of(step, (index, lane), sum)?;
            }
        }
        Ok(())
    }

    fn store_bulk_of(
        &mut self,
        step: &BoundStep,
        (index, lane): (usize, usize),
        sum: Option<(AtomicFunction, u8)>,
    ) -> Run<()> {
        let warp = usize::from(self.lanes.warps[index]);
        let position = self.group.position as usize;
        let [to, from, bytes] = [0, 1, 2].map(|operand| self.registers.value(step.operand(operand), warp, lane));
        self.external_accesses += 1;
        let from = self.own_offset(from);
        self.check_units((index, lane), from, to, bytes)?;
        let request = |space, address| {
            let addresses = Addresses { pattern: Pattern::Uniform(address), mask: 1 << lane, bytes: bytes as u32 };
            Request { step, index, warp, space, element: WORD, lanes: 1, addresses }
        };
        let out_of = request(Space::Shared, from);
        let from = self.private_offset(&out_of, lane)?;
        self.observe(&out_of, AccessKind::CopyFrom { bulk: true });
        let into = request(Space::Global, to);
        let kind = match sum {
            Some(_) => AccessKind::Atomic { swaps: false, reads: true, counts: false },
            None => AccessKind::CopyInto { bulk: true },
        };
        self.observe(&into, kind);
        let Some(region) = self.memories.view.find_to_write(position, to, bytes) else {
            return Err(self.device_fault(&into, lane));
        };
        self.memories.changed = true;
        let start = (to - region.base) as usize;
        let (function, size) = sum.map_or((None, 4), |(function, size)| (Some(function), size));
        for offset in (0..bytes as usize).step_by(size.into()) {
            let value = read(&self.memories.shared, from + offset, size);
            let new = |old| function.map_or(value, |function| combine_on_device(function, size, old, value, 0));
            if size == 4 {
                update(&region.words, start + offset, size, new);
            } else {
                let _guard = self.memories.device.lock_wide_atomics();
                let old = read(&region.words, start + offset, size);
                write(&region.words, start + offset, size, new(old));
            }
        }
        Ok(())
    }

    /// Starts the copy of words to shared memory: of this block, of another, or of several.
    pub(super) fn send(&mut self, step: &BoundStep, (index, lane): (usize, usize), sent: &Sent) -> Run<()> {
        let warp = usize::from(self.lanes.warps[index]);
        let position = self.group.position;
        let bytes = 4 * sent.words.len() as u32;
        let (ranks, to) = self.destinations(warp, lane, sent.to, sent.multicast);
        let (rank_of_barrier, offset_of_barrier) = rank_of(sent.barrier);
        let alone = !self.bound.has_clusters;
        let barrier = if alone { sent.barrier } else { offset_of_barrier };
        for rank in ranks {
            if !alone && !sent.multicast && rank != rank_of_barrier {
                let detail = "a bulk copy whose destination and mbarrier are in different blocks".to_owned();
                return Err(self.fault(FaultKind::Barrier, index, 1 << lane, detail));
            }
            self.with_peer(rank, (index, lane), |machine| {
                // Another block's barrier is accessed when the copy completes.
                let kind = (rank == machine.rank()).then_some(AccessKind::Barrier { plain: false, tests: false });
                let offset = machine.shared_offset(step, (index, lane), barrier, 8, kind)?;
                let at = ThreadAtBarrier { offset, warp, lane, position };
                machine.barrier_at(&at)?;
                let kind = Some(AccessKind::CopyInto { bulk: true });
                let to = machine.shared_offset(step, (index, lane), to, bytes, kind)?;
                machine.begin_bulk(Bulk { at, to, words: sent.words.clone() })
            })?;
        }
        Ok(())
    }
}
