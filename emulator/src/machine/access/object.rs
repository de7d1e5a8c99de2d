//! Accesses to shared memory other than loads and stores: mbarriers and rows of matrices.

use super::Request;
use super::copy::WORD;
use crate::ground::lanes::{LANES, active};
use crate::ground::space::Space;
use crate::machine::addresses::Addresses;
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::stop::Run;

impl<O: Observer> BlockMachine<'_, O> {
    /// Returns the offsets at which the lanes `mask` of member `index` of the group access `bytes` bytes each. Operand
    /// `operand` holds the addresses, and the operands after it the words that a store writes.
    pub(in crate::machine) fn shared_offsets(
        &mut self,
        step: &BoundStep,
        operand: usize,
        index: usize,
        mask: u32,
        bytes: u32,
        kind: AccessKind,
    ) -> Run<[usize; LANES]> {
        let mut offsets = [0; LANES];
        if mask == 0 {
            return Ok(offsets);
        }
        let warp = usize::from(self.lanes.warps[index]);
        let lanes = self.row_of(step, operand, warp);
        let addresses = Addresses::classify(&lanes, mask, bytes);
        let request =
            Request { step, index, warp, space: Space::Shared, element: WORD, lanes: (bytes / 4) as u8, addresses };
        self.check_alignment(&request)?;
        if O::ON {
            self.observe(&request, kind);
        }
        for lane in active(mask) {
            offsets[lane] = self.private_offset(&request, lane)?;
        }
        Ok(offsets)
    }
}
