//! Asynchronous copies from global to shared memory (`cp.async`).

use super::Request;
use crate::ground::lanes::{WARP_SIZE, active};
use crate::ground::space::Space;
use crate::isa::memory::{Element, Strength};
use crate::machine::addresses::Addresses;
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::pending_copies::Copy;
use crate::machine::stop::Run;
use crate::machine::word::read;

/// The element of these accesses.
pub(super) const WORD: Element = Element { bytes: 4, signed: false, strength: Strength::Weak };

impl<O: Observer> BlockMachine<'_, O> {
    /// Issues the copies of a group. The operands are the address in shared memory, the address in global memory, the number
    /// of bytes to write, and the number of bytes to read; the rest is filled with zeros.
    pub(in crate::machine) fn issue_copies(&mut self, step: &BoundStep) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.active(step.guard, index);
            if mask == 0 {
                continue;
            }
            self.external_accesses += 1;
            let [to, from, sizes, read] = [0, 1, 2, 3].map(|operand| self.row_of(step, operand, warp));
            let bytes = sizes[0] as u32;
            let reading = active(mask).filter(|&lane| read[lane] != 0).fold(0, |lanes, lane| lanes | 1 << lane);
            let request = |space, addresses| {
                let lanes = (bytes / 4) as u8;
                Request { step, index, warp, space, element: WORD, lanes, addresses }
            };
            let to = to.map(|address| self.own_offset(address));
            let into = request(Space::Shared, Addresses::classify(&to, mask, bytes));
            let out_of = request(Space::Global, Addresses::classify(&from, reading, bytes));
            self.begin_copies(&into, &out_of, &read)?;
        }
        Ok(())
    }

    /// Returns an operand of all lanes.
    pub(super) fn row_of(&self, step: &BoundStep, operand: usize, warp: usize) -> [u64; WARP_SIZE] {
        std::array::from_fn(|lane| self.registers.value(step.operand(operand), warp, lane))
    }

    fn begin_copies(&mut self, into: &Request<'_>, out_of: &Request<'_>, read: &[u64; WARP_SIZE]) -> Run<()> {
        self.check_alignment(into)?;
        // Lanes that only write zeros do not read.
        if out_of.addresses.mask != 0 {
            self.check_alignment(out_of)?;
            self.observe(out_of, AccessKind::CopyFrom { bulk: false });
        }
        self.observe(into, AccessKind::CopyInto { bulk: false });
        let warp = into.warp;
        let position = self.group.position;
        let bytes = into.bytes() as usize;
        for lane in active(into.addresses.mask) {
            let to = self.private_offset(into, lane)?;
            let words = self.words_to_copy(out_of, lane, read[lane].min(into.bytes()))?;
            self.begin_copy(warp, Copy { lane, to, bytes, words, position });
        }
        Ok(())
    }

    /// Returns the first `bytes` bytes at a lane's address, followed by zeros.
    fn words_to_copy(&mut self, request: &Request<'_>, lane: usize, bytes: u64) -> Run<[u32; 4]> {
        let mut words = [0; 4];
        if bytes == 0 {
            return Ok(words);
        }
        let address = request.addresses.at(lane);
        let position = self.group.position as usize;
        let Some(region) = self.memories.view.find(position, address, bytes) else {
            return Err(self.device_fault(request, lane));
        };
        let offset = (address - region.base) as usize;
        for (part, word) in words.iter_mut().enumerate().take(bytes.div_ceil(4) as usize) {
            let unused = 32 - 8 * (bytes as u32 - 4 * part as u32).min(4);
            *word = read(&region.words, offset + 4 * part, 4) as u32 & u32::MAX >> unused;
        }
        Ok(words)
    }
}
