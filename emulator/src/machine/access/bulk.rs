//! Bulk copies from global to shared memory, which a thread issues and whose completion an mbarrier tracks.

use super::Request;
use super::copy::WORD;
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

impl<O: Observer> BlockMachine<'_, O> {
    /// Issues the bulk copies of a group. The operands are the address in shared memory, the address in global memory, the
    /// number of bytes, and the address of the mbarrier.
    pub(in crate::machine) fn issue_bulk_copies(&mut self, step: &BoundStep) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            let (warp, mask) = (usize::from(self.lanes.warps[index]), self.active(step.guard, index));
            let barriers = self.shared_offsets(step, 3, index, mask, 8, AccessKind::Barrier { plain: false })?;
            for lane in active(mask) {
                let at = ThreadAtBarrier { offset: barriers[lane], warp, lane, position: self.group.position };
                self.barrier_at(&at)?;
                self.issue_bulk_copy(step, index, at)?;
            }
        }
        Ok(())
    }

    fn issue_bulk_copy(&mut self, step: &BoundStep, index: usize, at: ThreadAtBarrier) -> Run<()> {
        let operand = |operand| self.registers.value(step.operand(operand), at.warp, at.lane);
        let [to, from, bytes] = [0, 1, 2].map(operand);
        self.external_accesses += 1;
        let aligned = [(to, "address"), (from, "address"), (bytes, "size")];
        if let Some((value, what)) = aligned.into_iter().find(|(value, _)| !value.is_multiple_of(UNIT)) {
            let detail = format!("the {what} of a bulk copy, {value:#x}, is not a multiple of {UNIT}");
            return Err(self.fault(FaultKind::Misaligned, index, 1 << at.lane, detail));
        }
        let request = |space, address| {
            let addresses = Addresses { pattern: Pattern::Uniform(address), mask: 1 << at.lane, bytes: bytes as u32 };
            Request { step, index, warp: at.warp, space, element: WORD, lanes: 1, addresses }
        };
        let (into, out_of) = (request(Space::Shared, to), request(Space::Global, from));
        let to = self.private_offset(&into, at.lane)?;
        let Some(region) = self.memories.view.find(at.position as usize, from, bytes) else {
            return Err(self.device_fault(&out_of, at.lane));
        };
        let first = (from - region.base) as usize;
        let words = (0..bytes as usize / 4).map(|word| read(&region.words, first + 4 * word, 4) as u32).collect();
        if O::ON {
            self.observe(&out_of, AccessKind::CopyFrom { bulk: true });
            self.observe(&into, AccessKind::CopyInto { bulk: true });
        }
        self.begin_bulk(Bulk { at, to, words })
    }
}
