//! Copies of boxes of a tensor, which a tensor map describes, between global and shared memory.

use super::Request;
use super::bulk::Sent;
use super::copy::WORD;
use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::ground::space::Space;
use crate::isa::tensor_map::TensorMap;
use crate::machine::addresses::{Addresses, Pattern};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::{AccessKind, Observer};
use crate::machine::stop::Run;
use crate::machine::word::{cells, read, write};

/// The alignment of a box in shared memory, in bytes.
const BOX_ALIGN: u64 = 128;

/// A copy of a box by one lane.
struct BoxCopy<'a> {
    step: &'a BoundStep,
    /// The index of the warp in the group.
    index: usize,
    warp: usize,
    lane: usize,
    map: TensorMap,
    /// The coordinates of the first element of the box.
    corner: [i64; 3],
    /// The address of the box in shared memory.
    shared: u64,
}

impl BoxCopy<'_> {
    fn request(&self, space: Space, address: u64, bytes: u64) -> Request<'_> {
        let addresses = Addresses { pattern: Pattern::Uniform(address), mask: 1 << self.lane, bytes: bytes as u32 };
        Request { step: self.step, index: self.index, warp: self.warp, space, element: WORD, lanes: 1, addresses }
    }

    /// Returns the place in the box of an element at an offset without the permutation.
    fn place(&self, offset: u64) -> usize {
        (self.map.swizzle.place(self.shared + offset) - self.shared) as usize
    }
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Issues the copies of boxes to shared memory. The operands are the address there, the address of the tensor map, the
    /// address of the mbarrier, and the coordinates.
    pub(in crate::machine) fn issue_tensor_loads(
        &mut self,
        step: &BoundStep,
        dimensions: usize,
        multicast: bool,
    ) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            for lane in active(self.active(step.guard, index)) {
                let copy = self.box_copy(step, (index, lane), [0, 1, 3], dimensions)?;
                self.load_box(&copy, multicast)?;
            }
        }
        Ok(())
    }

    /// Copies boxes to global memory. The operands are the address of the tensor map, the address in shared memory, and the
    /// coordinates.
    pub(in crate::machine) fn store_tensors(&mut self, step: &BoundStep, dimensions: usize) -> Run<()> {
        for index in 0..self.lanes.warps.len() {
            for lane in active(self.active(step.guard, index)) {
                let copy = self.box_copy(step, (index, lane), [1, 0, 2], dimensions)?;
                self.store_box(&copy)?;
            }
        }
        Ok(())
    }

    /// Returns the copy of a lane. `operands` are the numbers of the operands with the address in shared memory, the address of
    /// the tensor map, and the first coordinate.
    fn box_copy<'s>(
        &mut self,
        step: &'s BoundStep,
        (index, lane): (usize, usize),
        operands: [usize; 3],
        dimensions: usize,
    ) -> Run<BoxCopy<'s>> {
        let warp = usize::from(self.lanes.warps[index]);
        let value = |operand: usize| self.registers.value(step.operand(operand), warp, lane);
        let [shared, address] = [value(operands[0]), value(operands[1])];
        let mut corner = [0; 3];
        for (dimension, place) in corner.iter_mut().enumerate().take(dimensions) {
            *place = i64::from(value(operands[2] + dimension) as i32);
        }
        let fault = |machine: &Self, kind, detail| Err(machine.fault(kind, index, 1 << lane, detail));
        self.external_accesses += 1;
        let map = match self.tensor_map(address) {
            Ok(map) => map,
            Err(detail) => return fault(self, FaultKind::TensorMap, detail),
        };
        if map.dimensions != dimensions {
            let detail = format!("a copy in {dimensions} dimensions of a tensor that has {}", map.dimensions);
            return fault(self, FaultKind::TensorMap, detail);
        }
        if !shared.is_multiple_of(BOX_ALIGN) {
            let detail =
                format!("the address of a box in shared memory, {shared:#x}, is not a multiple of {BOX_ALIGN}");
            return fault(self, FaultKind::Misaligned, detail);
        }
        Ok(BoxCopy { step, index, warp, lane, map, corner, shared })
    }

    /// Returns the tensor map at a generic address, or the reason why there is none.
    fn tensor_map(&mut self, address: u64) -> Result<TensorMap, String> {
        let space = Space::from_address(address);
        let position = self.group.position as usize;
        let mut bytes = [0; TensorMap::BYTES];
        match space {
            Space::Parameter => {
                let start = address.wrapping_sub(space.base()) as usize;
                let parameters = self.bound.launch.parameters.get(start..).unwrap_or_default();
                bytes.iter_mut().zip(parameters).for_each(|(target, &source)| *target = source);
            }
            Space::Shared | Space::Local => {
                return Err("the tensor map is in shared or local memory: a kernel takes it as a parameter `const \
                            __grid_constant__ CUtensorMap`, or from global or constant memory"
                    .to_owned());
            }
            _ => {
                let Some(region) = self.memories.view.find(position, address, bytes.len() as u64) else {
                    return Err(format!(
                        "the address of the tensor map, {address:#x}, is {}",
                        self.memories.view.describe(address)
                    ));
                };
                let start = (address - region.base) as usize;
                bytes
                    .iter_mut()
                    .enumerate()
                    .for_each(|(index, byte)| *byte = read(&region.words, start + index, 1) as u8);
            }
        }
        if !address.is_multiple_of(TensorMap::ALIGN) {
            return Err(format!(
                "the address of the tensor map, {address:#x}, is not a multiple of {}",
                TensorMap::ALIGN
            ));
        }
        TensorMap::decode(&bytes)
            .ok_or_else(|| format!("the bytes at {address:#x} are not from cuTensorMapEncodeTiled"))
    }

    fn load_box(&mut self, copy: &BoxCopy<'_>, multicast: bool) -> Run<()> {
        let position = self.group.position as usize;
        let element = copy.map.element_bytes as usize;
        let mut bytes = vec![0; copy.map.box_bytes() as usize];
        for row in copy.map.rows(copy.corner).filter(|row| row.bytes > 0) {
            let out_of = copy.request(Space::Global, row.address, row.bytes);
            let Some(region) = self.memories.view.find(position, row.address, row.bytes) else {
                return Err(self.device_fault(&out_of, copy.lane));
            };
            let start = (row.address - region.base) as usize;
            for offset in (0..row.bytes as usize).step_by(element) {
                let value = read(&region.words, start + offset, element as u8).to_le_bytes();
                bytes[copy.place(row.offset + offset as u64)..][..element].copy_from_slice(&value[..element]);
            }
            self.observe(&out_of, AccessKind::CopyFrom { bulk: true });
        }
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let barrier = self.registers.value(copy.step.operand(2), copy.warp, copy.lane);
        let words = bytes.chunks_exact(4).map(word).collect();
        self.send(copy.step, (copy.index, copy.lane), &Sent { to: copy.shared, barrier, words, multicast })
    }

    fn store_box(&mut self, copy: &BoxCopy<'_>) -> Run<()> {
        let out_of = copy.request(Space::Shared, self.own_offset(copy.shared), copy.map.box_bytes());
        let from = self.private_offset(&out_of, copy.lane)?;
        let position = self.group.position as usize;
        self.observe(&out_of, AccessKind::CopyFrom { bulk: true });
        self.memories.changed = true;
        let element = copy.map.element_bytes as usize;
        for row in copy.map.rows(copy.corner).filter(|row| row.bytes > 0) {
            let into = copy.request(Space::Global, row.address, row.bytes);
            self.observe(&into, AccessKind::CopyInto { bulk: true });
            let shared = cells(&mut self.memories.shared);
            let Some(region) = self.memories.view.find_to_write(position, row.address, row.bytes) else {
                return Err(self.device_fault(&into, copy.lane));
            };
            let start = (row.address - region.base) as usize;
            for offset in (0..row.bytes as usize).step_by(element) {
                let value = read(shared, from + copy.place(row.offset + offset as u64), element as u8);
                write(&region.words, start + offset, element as u8, value);
            }
        }
        Ok(())
    }
}
