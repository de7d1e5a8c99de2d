//! Reads of textures, and loads and stores of surfaces.

use super::super::step::{Action, Guard, Value};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::texture::{Access, Texture};
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::{Narrow, Wide};

impl<'a> Expander<'a> {
    /// Expands a texture instruction. The coordinates are set aside.
    pub(super) fn texture(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Texture,
        operands: &[Operand],
    ) -> Lowered<()> {
        let is_store = matches!(operation.access, Access::Store(_));
        let [first, second] = operands else { return self.error("a texture instruction takes two operands") };
        let (values, place) = if is_store { (second, first) } else { (first, second) };
        let Operand::TensorAddress(handle, coordinates) = place else {
            return self.error("expected a texture and coordinates in brackets");
        };
        let Operand::RegisterAddress(handle, 0) = **handle else {
            return self.unsupported("a texture or surface that is not an object whose handle is in a register");
        };
        let handle = (self.register(frame, handle, Wide)?, Wide);
        let coordinates = self.vector(frame, coordinates, operation.coordinates(), 4)?;
        if coordinates.iter().any(|(_, kind)| *kind != Narrow) {
            return self.error("coordinates have 32 bits");
        }
        let (count, bytes) = operation.values();
        if !is_store {
            self.require_registers(values)?;
        }
        let values = self.vector(frame, values, count, bytes)?;
        self.push(Action::SetAside { first: 0 }, None, &[], &coordinates);
        match is_store {
            true => self.push(Action::Texture(operation), guard, &[], &[&[handle], values.as_slice()].concat()),
            false => self.push(Action::Texture(operation), guard, &values, &[handle]),
        }
        Ok(())
    }
}
