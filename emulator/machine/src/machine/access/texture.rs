//! Reads of textures. The counters and the checks do not see them: they are accesses of another unit, which Nsight Compute counts
//! apart.

use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::isa::texel::TextureDescriptor;
use crate::isa::texture::Texture;
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::memories::{MatrixOperands, Memories};
use crate::machine::stop::Run;
use crate::machine::word::read;
use crate::memory::view::MemoryView;
use crate::vector::registers::Registers;

/// A lane that cannot read, and why.
struct Refusal {
    lane: usize,
    detail: String,
}

/// The unit that reads textures, for one warp at an instruction. It is apart from the machine, which is compiled for each observer.
struct TextureUnit<'m, 'a> {
    memories: &'m mut Memories<'a>,
    registers: &'m mut Registers,
    coordinates: &'m MatrixOperands,
    step: &'m BoundStep,
    position: usize,
    warp: usize,
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a read of a texture. Its coordinates have been set aside.
    pub(in crate::machine) fn texture(&mut self, step: &BoundStep, operation: Texture) -> Run<bool> {
        self.external_accesses += 1;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.active(step.guard, index);
            let mut unit = TextureUnit {
                memories: &mut self.memories,
                registers: &mut self.registers,
                coordinates: &self.matrix_operands[warp],
                step,
                position: self.group.position as usize,
                warp,
            };
            if let Err(Refusal { lane, detail }) = unit.execute(operation, mask) {
                return Err(self.fault(FaultKind::OutOfBounds, index, 1 << lane, detail));
            }
        }
        Ok(self.advance())
    }
}

impl TextureUnit<'_, '_> {
    #[inline(never)]
    fn execute(&mut self, operation: Texture, mask: u32) -> Result<(), Refusal> {
        let mut known: Option<(u64, TextureDescriptor)> = None;
        for lane in active(mask) {
            let handle = self.registers.value(self.step.operand(self.step.results.into()), self.warp, lane);
            let texture = match known {
                Some((known, texture)) if known == handle => texture,
                _ => self.descriptor(handle, lane)?,
            };
            known = Some((handle, texture));
            self.read(operation, &texture, lane)?;
        }
        Ok(())
    }

    /// Returns the descriptor of an object.
    fn descriptor(&self, handle: u64, lane: usize) -> Result<TextureDescriptor, Refusal> {
        let mut bytes = [0; TextureDescriptor::BYTES];
        let is_read = self.memories.device.read(handle, &mut bytes).is_ok();
        let found = TextureDescriptor::decode(&bytes).filter(|_| is_read);
        found.ok_or_else(|| Refusal { lane, detail: format!("{handle:#x} is not the handle of a texture") })
    }

    fn read(&mut self, operation: Texture, texture: &TextureDescriptor, lane: usize) -> Result<(), Refusal> {
        let dimensions = usize::from(operation.dimensions);
        let place: [u32; 3] =
            std::array::from_fn(|axis| if axis < dimensions { self.coordinates[axis][lane] } else { 0 });
        let position = self.position;
        let view = &mut self.memories.view;
        let mut fetch = |address: u64, bytes: u8| fetch(view, position, address, bytes);
        let values = if operation.integers {
            texture.at(place.map(|coordinate| i64::from(coordinate as i32)), &mut fetch)
        } else {
            texture.sample(place.map(f32::from_bits), dimensions, &mut fetch)
        };
        let values = values.map_err(|address| {
            let detail = format!("a texture at {address:#x}, {}", self.memories.view.describe(address));
            Refusal { lane, detail }
        })?;
        for (operand, value) in values.into_iter().enumerate() {
            self.registers.set_value(self.step.operand(operand), self.warp, lane, value.into());
        }
        Ok(())
    }
}

/// Returns the value of 1, 2 or 4 bytes at an address.
fn fetch(view: &mut MemoryView, position: usize, address: u64, bytes: u8) -> Option<u32> {
    let region = view.find(position, address, bytes.into()).filter(|_| address.is_multiple_of(bytes.into()))?;
    Some(read(&region.words, (address - region.base) as usize, bytes) as u32)
}
