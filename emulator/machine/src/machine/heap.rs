//! `malloc` and `free` in kernels: blocks of the heap of the device.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::Observer;
use super::stop::Run;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;

impl<O: Observer> BlockMachine<'_, O> {
    /// Allocates a block for each active lane. The operands are the address, null if the heap is full, and the size.
    pub(super) fn allocate(&mut self, step: &BoundStep) -> bool {
        self.external_accesses += 1;
        for (warp, mask) in self.lanes.each() {
            for lane in active(mask) {
                let bytes = self.registers.value(step.operand(1), warp, lane);
                let block = self.memories.device.allocate_block(bytes, O::MARKS_WRITES);
                self.memories.changed |= block.is_some();
                self.registers.set_value(step.operand(0), warp, lane, block.unwrap_or(0));
            }
        }
        self.advance()
    }

    /// Frees the block of each active lane. The operand is its address, or null.
    pub(super) fn free(&mut self, step: &BoundStep) -> Run<bool> {
        self.external_accesses += 1;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            for lane in active(self.lanes.masks[index]) {
                let address = self.registers.value(step.operand(0), warp, lane);
                if address == 0 {
                    continue;
                }
                let freed = self.memories.view.free_block(address);
                freed.map_err(|detail| self.fault(FaultKind::Heap, index, 1 << lane, detail))?;
                self.memories.changed = true;
            }
        }
        Ok(self.advance())
    }
}
