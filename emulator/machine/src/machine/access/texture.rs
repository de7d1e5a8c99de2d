//! Reads of textures, and loads and stores of surfaces. The counters and the checks do not see them: they are accesses of another
//! unit, which Nsight Compute counts apart.

use crate::ground::fault::FaultKind;
use crate::ground::lanes::active;
use crate::isa::cube::{SIDES, face};
use crate::isa::texel::{Beyond, TextureDescriptor};
use crate::isa::texture::{Access, Accessed, Outside, Texture};
use crate::machine::bind::BoundStep;
use crate::machine::block::BlockMachine;
use crate::machine::events::Observer;
use crate::machine::matrix_operands::MatrixOperands;
use crate::machine::memories::Memories;
use crate::machine::stop::Run;
use crate::machine::word::{read, write};
use crate::memory::view::MemoryView;
use crate::vector::registers::Registers;

/// Why a lane cannot access a texture or surface.
struct Refusal {
    kind: FaultKind,
    lane: usize,
    detail: String,
}

/// The unit that accesses textures, for one warp at an instruction. It is apart from the machine, which is compiled for each observer.
struct TextureUnit<'m, 'a> {
    memories: &'m mut Memories<'a>,
    registers: &'m mut Registers,
    operands: &'m MatrixOperands,
    step: &'m BoundStep,
    position: usize,
    warp: usize,
}

/// A lane, and its coordinates along the axes. A layer is last.
#[derive(Clone, Copy)]
struct Reader {
    lane: usize,
    place: [u32; 3],
}

impl<O: Observer> BlockMachine<'_, O> {
    /// Executes a texture instruction. Its coordinates have been set aside.
    pub(in crate::machine) fn texture(&mut self, step: &BoundStep, operation: Texture) -> Run<bool> {
        self.external_accesses += 1;
        for index in 0..self.lanes.warps.len() {
            let (warp, mask) = (usize::from(self.lanes.warps[index]), self.active(step.guard, index));
            let (memories, registers, position) =
                (&mut self.memories, &mut self.registers, self.group.position as usize);
            let operands = &self.matrix_operands[warp];
            let mut unit = TextureUnit { memories, registers, operands, step, position, warp };
            if let Err(Refusal { kind, lane, detail }) = unit.execute(operation, mask) {
                return Err(self.fault(kind, index, 1 << lane, detail));
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
            let descriptor = match known {
                Some((known, descriptor)) if known == handle => descriptor,
                _ => self.descriptor(handle, lane)?,
            };
            known = Some((handle, descriptor));
            let reader = Reader { lane, place: self.place(operation, lane) };
            match operation.access {
                Access::Read { .. } | Access::Gather { .. } => self.read_texture(reader, &descriptor, operation)?,
                Access::Query { axis, of_surface } => {
                    let level = if operation.has_level() { self.operands[0][lane] } else { 0 };
                    let size = if level == 0 { descriptor.size(axis, of_surface) } else { 0 };
                    self.registers.set_value(self.step.operand(0), self.warp, lane, size.into());
                }
                Access::Load(accessed) => self.load_surface(reader, &descriptor, accessed)?,
                Access::Store(accessed) => self.store_surface(reader, &descriptor, accessed)?,
            }
        }
        Ok(())
    }

    /// Returns the coordinates of a lane. The layer is the third, also if there is no second: layers of one dimension have one row.
    fn place(&self, operation: Texture, lane: usize) -> [u32; 3] {
        let given = |number: usize| self.operands[number][lane];
        match (operation.layered, operation.dimensions) {
            (true, 1) => [given(1), 0, given(0)],
            (true, _) => [given(1), given(2), given(0)],
            (_, dimensions) => std::array::from_fn(|axis| if axis < dimensions.into() { given(axis) } else { 0 }),
        }
    }

    /// Returns the descriptor of an object.
    fn descriptor(&self, handle: u64, lane: usize) -> Result<TextureDescriptor, Refusal> {
        let mut bytes = [0; TextureDescriptor::BYTES];
        let is_read = self.memories.device.read(handle, &mut bytes).is_ok();
        let found = TextureDescriptor::decode(&bytes).filter(|_| is_read);
        let detail = || format!("{handle:#x} is not the handle of a texture or surface");
        found.ok_or_else(|| Refusal { kind: FaultKind::OutOfBounds, lane, detail: detail() })
    }

    fn read_texture(&mut self, reader: Reader, texture: &TextureDescriptor, operation: Texture) -> Result<(), Refusal> {
        if operation.cube != texture.has_faces() {
            let (read, other) = if operation.cube { ("a cube", "no cube") } else { ("no cube", "a cube") };
            let detail = format!("an instruction that reads {read}, with the handle of {other}");
            return Err(Refusal { kind: FaultKind::OutOfBounds, lane: reader.lane, detail });
        }
        let (place, floats, layer) = self.aim(reader, texture, operation);
        let given = |number: usize| self.operands[number][reader.lane];
        let (position, view) = (self.position, &mut self.memories.view);
        let mut fetch = |address: u64, bytes: u8| fetch(view, position, address, bytes);
        let dimensions = usize::from(operation.dimensions);
        let values = match operation.access {
            Access::Gather { channel } => texture.gather(floats, layer, channel.into(), &mut fetch),
            Access::Read { integers: true } => match operation.has_level() {
                false => texture.at(place, Beyond::Zeros, &mut fetch),
                true if given(operation.coordinates().into()) == 0 => texture.at(place, Beyond::Nearest, &mut fetch),
                true => Ok([0; 4]),
            },
            _ => texture.sample(floats, dimensions, layer, &mut fetch),
        };
        self.set_values(reader.lane, values)
    }

    /// Returns the coordinates as integers and as floats, and the layer as the third of three. Layers outside are clamped.
    fn aim(&self, reader: Reader, texture: &TextureDescriptor, operation: Texture) -> ([i64; 3], [f32; 3], [i64; 3]) {
        let place = reader.place.map(|coordinate| i64::from(coordinate as i32));
        let layer = |axis: usize| place[axis].clamp(0, i64::from(texture.sizes[axis]) - 1);
        if !operation.cube {
            return (place, reader.place.map(f32::from_bits), std::array::from_fn(layer));
        }
        let first = usize::from(operation.layered);
        let direction = |axis: usize| f32::from_bits(self.operands[first + axis][reader.lane]);
        let (face, [x, y]) = face(std::array::from_fn(direction));
        let last = i64::from(texture.sizes[2] / SIDES) - 1;
        let cube = if operation.layered { place[2].clamp(0, last) } else { 0 };
        let elements = if texture.normalized_coordinates { 1.0 } else { texture.sizes[0] as f32 };
        (place, [x * elements, y * elements, 0.0], [0, 0, i64::from(SIDES) * cube + i64::from(face)])
    }

    /// Writes what a lane has read, unless the texture is outside of memory at an address.
    fn set_values(&mut self, lane: usize, values: Result<[u32; 4], u64>) -> Result<(), Refusal> {
        let values = values.map_err(|address| self.outside_of_memory(lane, address))?;
        for (operand, value) in values.into_iter().enumerate() {
            self.registers.set_value(self.step.operand(operand), self.warp, lane, value.into());
        }
        Ok(())
    }

    /// Returns the address of an access to a surface, `None` for one outside that has no effect.
    fn place_of(
        &self,
        reader: Reader,
        surface: &TextureDescriptor,
        accessed: Accessed,
    ) -> Result<Option<u64>, Refusal> {
        let (place, bytes) =
            (reader.place.map(|coordinate| coordinate as i32), u64::from(accessed.bytes * accessed.lanes));
        let found = surface.place(place, bytes, accessed.outside == Outside::Clamp);
        if found.is_some_and(|address| !address.is_multiple_of(bytes)) {
            let detail = format!("byte {} of a row is not a multiple of {bytes}, the size of the access", place[0]);
            return Err(Refusal { kind: FaultKind::Misaligned, lane: reader.lane, detail });
        }
        if found.is_none() && accessed.outside == Outside::Trap {
            let ([x, y, z], [width, height, depth]) = (place, surface.sizes);
            let row = u64::from(width) * surface.channel.bytes() * u64::from(surface.channels);
            let detail = format!(
                "{bytes} bytes at byte {x} of row {y} of slice {z} of a surface of {depth} slices of {height} rows of {row} bytes"
            );
            return Err(Refusal { kind: FaultKind::OutOfBounds, lane: reader.lane, detail });
        }
        Ok(found)
    }

    fn load_surface(&mut self, reader: Reader, surface: &TextureDescriptor, accessed: Accessed) -> Result<(), Refusal> {
        let place = self.place_of(reader, surface, accessed)?;
        let (position, bytes) = (self.position, accessed.bytes);
        for part in 0..accessed.lanes {
            let value = match place.map(|address| address + u64::from(part * bytes)) {
                Some(address) => match self.memories.view.find(position, address, bytes.into()) {
                    Some(region) => read(&region.words, (address - region.base) as usize, bytes),
                    None => return Err(self.outside_of_memory(reader.lane, address)),
                },
                None => 0,
            };
            self.registers.set_value(self.step.operand(part.into()), self.warp, reader.lane, value);
        }
        Ok(())
    }

    fn store_surface(
        &mut self,
        reader: Reader,
        surface: &TextureDescriptor,
        accessed: Accessed,
    ) -> Result<(), Refusal> {
        let Some(start) = self.place_of(reader, surface, accessed)? else { return Ok(()) };
        self.memories.changed = true;
        let (position, bytes) = (self.position, accessed.bytes);
        for part in 0..accessed.lanes {
            let address = start + u64::from(part * bytes);
            let value = self.registers.value(self.step.operand(1 + usize::from(part)), self.warp, reader.lane);
            let Some(region) = self.memories.view.find_to_write(position, address, bytes.into()) else {
                return Err(self.outside_of_memory(reader.lane, address));
            };
            region.mark_written(address, bytes.into());
            write(&region.words, (address - region.base) as usize, bytes, value);
        }
        Ok(())
    }

    #[cold]
    fn outside_of_memory(&self, lane: usize, address: u64) -> Refusal {
        let detail = format!("a texture or surface at {address:#x}, {}", self.memories.view.describe(address));
        Refusal { kind: FaultKind::OutOfBounds, lane, detail }
    }
}

/// Returns the value of 1, 2 or 4 bytes at an address.
fn fetch(view: &mut MemoryView, position: usize, address: u64, bytes: u8) -> Option<u32> {
    let region = view.find(position, address, bytes.into()).filter(|_| address.is_multiple_of(bytes.into()))?;
    Some(read(&region.words, (address - region.base) as usize, bytes) as u32)
}
