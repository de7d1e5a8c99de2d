//! Accesses to shared memory other than loads and stores: mbarriers and rows of matrices.

use super::Request;
use super::copy::WORD;
use crate::ground::cluster::rank_of;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::ground::space::Space;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::stop::Run;

/// The size of an mbarrier, which is aligned. The alignment of copies is checked where they are issued.
const BARRIER_BYTES: u32 = 8;

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
    ) -> Run<[usize; WARP_SIZE]> {
        let mut offsets = [0; WARP_SIZE];
        if mask == 0 {
            return Ok(offsets);
        }
        let warp = usize::from(self.lanes.warps[index]);
        let lanes = self.row_of(step, operand, warp).map(|address| self.own_offset(address));
        let addresses = Addresses::classify(&lanes, mask, bytes);
        let request =
            Request { step, index, warp, space: Space::Shared, element: WORD, lanes: (bytes / 4) as u8, addresses };
        self.check_alignment(&request)?;
        self.observe(&request, kind);
        for lane in active(mask) {
            offsets[lane] = self.private_offset(&request, lane)?;
        }
        Ok(offsets)
    }

    /// Returns the offset at which one lane of member `index` of the group accesses `bytes` bytes of shared memory. Observers
    /// see the access if it has a kind.
    pub(in crate::machine) fn shared_offset(
        &mut self,
        step: &BoundStep,
        (index, lane): (usize, usize),
        address: u64,
        bytes: u32,
        kind: Option<AccessKind>,
    ) -> Run<usize> {
        let warp = usize::from(self.lanes.warps[index]);
        let addresses = Addresses { pattern: Pattern::Uniform(address), mask: 1 << lane, bytes };
        let request = Request { step, index, warp, space: Space::Shared, element: WORD, lanes: 1, addresses };
        if bytes == BARRIER_BYTES {
            self.check_alignment(&request)?;
        }
        if let (true, Some(kind)) = (O::ON, kind) {
            self.observe(&request, kind);
        }
        self.private_offset(&request, lane)
    }

    /// Returns the offset of an address in the block's own shared memory, and any other address unchanged, which is out of bounds.
    pub(in crate::machine) fn own_offset(&self, address: u64) -> u64 {
        let (rank, offset) = rank_of(address);
        if rank == self.rank() && address >> 32 == 0 { offset } else { address }
    }

    /// Returns the ranks of the blocks to which a lane copies, and the offset there: those of the mask that was set aside if
    /// `multicast`, and otherwise that of the address.
    pub(in crate::machine) fn destinations(
        &self,
        warp: usize,
        lane: usize,
        address: u64,
        multicast: bool,
    ) -> (impl Iterator<Item = u64> + use<O>, u64) {
        let alone = !self.bound.has_clusters;
        let (rank, offset) = if alone { (0, address) } else { rank_of(address) };
        let mask = if multicast { self.matrix_operands[warp][0][lane] & 0xFFFF } else { 1 << rank.min(31) };
        ((0..32).filter(move |rank| mask >> rank & 1 != 0), offset)
    }
}
