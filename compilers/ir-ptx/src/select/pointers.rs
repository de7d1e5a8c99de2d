//! Pointers between state spaces.

use super::selector::{Selected, Selector};
use crate::code::{Class, Operand};
use crate::ir::tree::{Id, Value};
use crate::ir::types::Type;
use crate::space::Space;

impl Selector<'_> {
    /// Returns the generic address of an address in a space.
    pub(super) fn generic(&mut self, pointer: Operand, space: Space) -> Operand {
        match space {
            Space::Generic => pointer,
            _ => Operand::Register(self.made(&format!("cvta{}.u64", space.modifier()), Class::B64, &[pointer])),
        }
    }

    /// Returns a pointer as an address in a space.
    pub(super) fn pointer_in(&mut self, value: &Value, space: Space) -> Selected<Operand> {
        let address = self.addresses().address(value);
        let pointer = self.pointer(&address)?;
        if address.space == space {
            return Ok(pointer);
        }
        // Null, and what is undefined, has no space.
        if matches!(value, Value::Integer(_) | Value::Undefined) && [Space::Global, Space::Generic].contains(&space) {
            return Ok(pointer);
        }
        let generic = self.generic(pointer, address.space);
        if space == Space::Generic {
            return Ok(generic);
        }
        Ok(Operand::Register(self.made(&format!("cvta.to{}.u64", space.modifier()), Class::B64, &[generic])))
    }

    /// Selects a cast of a pointer to another space; most are only known to the analysis.
    pub(super) fn space_cast(&mut self, id: Id, of: &Value) -> Selected<()> {
        let space = self.spaces.space_of(id);
        let is_apart = self.addresses().address(&Value::Local(id)).base == crate::address::terms::Base::Pointer(id);
        if is_apart {
            let pointer = self.pointer_in(of, space)?;
            self.values.insert(id, pointer);
        }
        Ok(())
    }

    /// Returns the generic address of a pointer that is stored, compared, passed on, or made an integer.
    pub(super) fn generic_pointer(&mut self, value: &Value, ty: &Type) -> Selected<Operand> {
        match ty {
            Type::Pointer(Space::Generic) => self.pointer_in(value, Space::Generic),
            Type::Pointer(space) => self.pointer_in(value, *space),
            _ => self.operand(value, ty),
        }
    }
}
