//! Bulk copies from global to shared memory, which a thread issues and whose completion an mbarrier tracks.

use super::Request;
use super::copy::WORD;
use crate::ground::cluster::rank_of;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::pending_copies::{Bulk, ThreadAtBarrier};
use crate::machine::stop::Run;
use crate::machine::word::read;

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
        let aligned = [(to, "address"), (from, "address"), (bytes, "size")];
        if let Some((value, what)) = aligned.into_iter().find(|(value, _)| !value.is_multiple_of(UNIT)) {
            let detail = format!("the {what} of a bulk copy, {value:#x}, is not a multiple of {UNIT}");
            return Err(self.fault(FaultKind::Misaligned, index, 1 << lane, detail));
        }
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
                let kind = (rank == machine.rank()).then_some(AccessKind::Barrier { plain: false });
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
