//! Reads of textures, and loads and stores of surfaces. The counters and the checks do not see them: they are accesses of another
//! unit, which Nsight Compute counts apart.

use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::isa::texel::TextureDescriptor;
use crate::isa::texture::{Access, Accessed, Outside, Texture};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::stop::{Run, Stop};
use crate::machine::word::{read, write};
use crate::memory::view::MemoryView;

/// A lane of member `index` of the group, at an instruction.
#[derive(Clone, Copy)]
struct Reader<'a> {
    step: &'a BoundStep,
    index: usize,
    warp: usize,
    lane: usize,
    /// The coordinates along the axes. A layer is last.
    place: [u32; 3],
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a texture instruction. Its coordinates have been set aside.
    pub(in crate::machine) fn texture(&mut self, step: &BoundStep, operation: Texture) -> Run<bool> {
        self.external_accesses += 1;
        let mut known: Option<(u64, TextureDescriptor)> = None;
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            for lane in active(self.active(step.guard, index)) {
                let handle = self.registers.value(step.operand(step.results.into()), warp, lane);
                let descriptor = match known {
                    Some((known, descriptor)) if known == handle => descriptor,
                    _ => self.descriptor(handle, index, lane)?,
                };
                known = Some((handle, descriptor));
                let given = |number: usize| self.matrix_operands[warp][number][lane];
                let place = match (operation.layered, operation.dimensions) {
                    (true, 1) => [given(1), given(0), 0],
                    (true, _) => [given(1), given(2), given(0)],
                    (_, dimensions) => {
                        std::array::from_fn(|axis| if axis < dimensions.into() { given(axis) } else { 0 })
                    }
                };
                let reader = Reader { step, index, warp, lane, place };
                match operation.access {
                    Access::Read { integers } => self.read_texture(reader, &descriptor, operation, integers)?,
                    Access::Load(accessed) => self.load_surface(reader, &descriptor, accessed)?,
                    Access::Store(accessed) => self.store_surface(reader, &descriptor, accessed)?,
                }
            }
        }
        Ok(self.advance())
    }

    /// Returns the descriptor of an object.
    fn descriptor(&mut self, handle: u64, index: usize, lane: usize) -> Run<TextureDescriptor> {
        let mut bytes = [0; TextureDescriptor::BYTES];
        let is_read = self.memories.device.read(handle, &mut bytes).is_ok();
        let found = TextureDescriptor::decode(&bytes).filter(|_| is_read);
        let detail = || format!("{handle:#x} is not the handle of a texture or surface");
        found.ok_or_else(|| self.fault(FaultKind::OutOfBounds, index, 1 << lane, detail()))
    }

    fn read_texture(
        &mut self,
        reader: Reader<'_>,
        texture: &TextureDescriptor,
        operation: Texture,
        integers: bool,
    ) -> Run<()> {
        let (position, view) = (self.group.position as usize, &mut self.memories.view);
        let mut fetch = |address: u64, bytes: u8| fetch(view, position, address, bytes);
        let place = reader.place.map(|coordinate| coordinate as i32);
        // Layers outside are clamped.
        let layer = std::array::from_fn(|axis| i64::from(place[axis]).clamp(0, i64::from(texture.sizes[axis]) - 1));
        let dimensions = usize::from(operation.dimensions);
        let values = match integers {
            true => texture.at(
                std::array::from_fn(|axis| if axis < dimensions { place[axis] } else { layer[axis] as i32 }),
                &mut fetch,
            ),
            false => texture.sample(reader.place.map(f32::from_bits), dimensions, layer, &mut fetch),
        };
        let values = values.map_err(|address| self.outside_of_memory(reader, address))?;
        for (operand, value) in values.into_iter().enumerate() {
            self.registers.set_value(reader.step.operand(operand), reader.warp, reader.lane, value.into());
        }
        Ok(())
    }

    /// Returns the address of an access to a surface, `None` for one outside that has no effect.
    fn place_of(&self, reader: Reader<'_>, surface: &TextureDescriptor, accessed: Accessed) -> Run<Option<u64>> {
        let (place, bytes) =
            (reader.place.map(|coordinate| coordinate as i32), u64::from(accessed.bytes * accessed.lanes));
        let found = surface.place(place, bytes, accessed.outside == Outside::Clamp);
        if found.is_some_and(|address| !address.is_multiple_of(bytes)) {
            let detail = format!("byte {} of a row is not a multiple of {bytes}, the size of the access", place[0]);
            return Err(self.fault(FaultKind::Misaligned, reader.index, 1 << reader.lane, detail));
        }
        if found.is_none() && accessed.outside == Outside::Trap {
            let ([x, y, z], [width, height, depth]) = (place, surface.sizes);
            let row = u64::from(width) * surface.channel.bytes() * u64::from(surface.channels);
            let detail = format!(
                "{bytes} bytes at byte {x} of row {y} of slice {z} of a surface of {depth} slices of {height} rows of {row} bytes"
            );
            return Err(self.fault(FaultKind::OutOfBounds, reader.index, 1 << reader.lane, detail));
        }
        Ok(found)
    }

    fn load_surface(&mut self, reader: Reader<'_>, surface: &TextureDescriptor, accessed: Accessed) -> Run<()> {
        let place = self.place_of(reader, surface, accessed)?;
        let (position, bytes) = (self.group.position as usize, accessed.bytes);
        for part in 0..accessed.lanes {
            let value = match place.map(|address| address + u64::from(part * bytes)) {
                Some(address) => match self.memories.view.find(position, address, bytes.into()) {
                    Some(region) => read(&region.words, (address - region.base) as usize, bytes),
                    None => return Err(self.outside_of_memory(reader, address)),
                },
                None => 0,
            };
            self.registers.set_value(reader.step.operand(part.into()), reader.warp, reader.lane, value);
        }
        Ok(())
    }

    fn store_surface(&mut self, reader: Reader<'_>, surface: &TextureDescriptor, accessed: Accessed) -> Run<()> {
        let Some(start) = self.place_of(reader, surface, accessed)? else { return Ok(()) };
        self.memories.changed = true;
        let (position, bytes) = (self.group.position as usize, accessed.bytes);
        for part in 0..accessed.lanes {
            let address = start + u64::from(part * bytes);
            let value = self.registers.value(reader.step.operand(1 + usize::from(part)), reader.warp, reader.lane);
            let Some(region) = self.memories.view.find_to_write(position, address, bytes.into()) else {
                return Err(self.outside_of_memory(reader, address));
            };
            region.mark_written(address, bytes.into());
            write(&region.words, (address - region.base) as usize, bytes, value);
        }
        Ok(())
    }

    #[cold]
    fn outside_of_memory(&self, reader: Reader<'_>, address: u64) -> Box<Stop> {
        let detail = format!("a texture or surface at {address:#x}, {}", self.memories.view.describe(address));
        self.fault(FaultKind::OutOfBounds, reader.index, 1 << reader.lane, detail)
    }
}

/// Returns the value of 1, 2 or 4 bytes at an address.
fn fetch(view: &mut MemoryView, position: usize, address: u64, bytes: u8) -> Option<u32> {
    let region = view.find(position, address, bytes.into()).filter(|_| address.is_multiple_of(bytes.into()))?;
    Some(read(&region.words, (address - region.base) as usize, bytes) as u32)
}
