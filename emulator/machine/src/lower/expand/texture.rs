//! Reads of textures, and loads and stores of surfaces.

use super::super::step::{Action, Guard, Value};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::texture::{Access, Texture};
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::{Narrow, Wide};

impl<'a> Expander<'a> {
    /// Expands a texture instruction. The coordinates are set aside, and then the level.
    pub(super) fn texture(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Texture,
        operands: &[Operand],
    ) -> Lowered<()> {
        let is_store = matches!(operation.access, Access::Store(_));
        let (place_and_values, behind) = operands.split_at(operands.len().min(2));
        let ([first, second], true) = (place_and_values, behind.len() == operation.behind.len()) else {
            let expected = 2 + operation.behind.len();
            return self.error(format!("this texture instruction takes {expected} operands"));
        };
        let (values, place) = if is_store { (second, first) } else { (first, second) };
        let (handle, mut coordinates) = match place {
            Operand::TensorAddress(handle, coordinates) if operation.dimensions > 0 => {
                (&**handle, self.vector(frame, coordinates, operation.coordinates(), 4)?)
            }
            _ if operation.dimensions == 0 => (place, Vec::new()),
            _ => return self.error("expected a texture and coordinates in brackets"),
        };
        let Operand::RegisterAddress(handle, 0) = *handle else {
            return self.unsupported("a texture or surface that is not an object whose handle is in a register");
        };
        let handle = (self.register(frame, handle, Wide)?, Wide);
        for (operand, &count) in behind.iter().zip(operation.behind) {
            coordinates.extend(self.vector(frame, operand, count, 4)?);
        }
        if coordinates.iter().any(|(_, kind)| *kind != Narrow) {
            return self.error("coordinates, levels and gradients have 32 bits");
        }
        let (count, bytes) = operation.values();
        if !is_store {
            self.require_registers(values)?;
        }
        let values = self.vector(frame, values, count, bytes)?;
        // Gradients have no effect without levels.
        coordinates.truncate(usize::from(operation.coordinates()) + usize::from(operation.has_level()));
        self.set_aside(0, &coordinates);
        match is_store {
            true => self.push(Action::Texture(operation), guard, &[], &[&[handle], values.as_slice()].concat()),
            false => self.push(Action::Texture(operation), guard, &values, &[handle]),
        }
        Ok(())
    }
}
