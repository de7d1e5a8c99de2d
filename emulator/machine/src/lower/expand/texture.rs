//! Reads of textures.

use super::super::step::Action;
use super::expander::{Expander, Frame, Lowered};
use crate::isa::texture::Texture;
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::{Narrow, Wide};

impl<'a> Expander<'a> {
    /// Expands a read of a texture. The coordinates are set aside.
    pub(super) fn texture(&mut self, frame: &mut Frame<'a>, operation: Texture, operands: &[Operand]) -> Lowered<()> {
        let [values, Operand::TensorAddress(handle, coordinates)] = operands else {
            return self.error("expected four results, and a texture and coordinates in brackets");
        };
        let Operand::RegisterAddress(handle, 0) = **handle else {
            return self.unsupported("a texture that is not an object whose handle is in a register");
        };
        let coordinates = self.vector(frame, coordinates, operation.coordinates(), 4)?;
        if coordinates.iter().any(|(_, kind)| *kind != Narrow) {
            return self.error("coordinates have 32 bits");
        }
        let handle = self.register(frame, handle, Wide)?;
        self.require_registers(values)?;
        let values = self.vector(frame, values, 4, 4)?;
        self.set_aside(0, &coordinates);
        self.push(Action::Texture(operation), &values, &[handle]);
        Ok(())
    }
}
