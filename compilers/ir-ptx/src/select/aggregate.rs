//! Values of two words.

use super::selector::{Selected, Selector};
use crate::code::Operand;
use crate::ir::tree::{Id, Value};
use crate::ir::types::Type;

impl Selector<'_> {
    /// Selects one value of two words, the low one first.
    pub(super) fn pack(&mut self, id: Id, ty: &Type, parts: &[(Type, Value)]) -> Selected<()> {
        let mut operands = vec![Operand::Register(self.result(id, ty)?)];
        for (ty, value) in parts {
            operands.push(Operand::Register(self.register(value, ty)?));
        }
        self.append(format!("mov.b{} $0, {{$1, $2}};", ty.bits()), 1, operands, true);
        Ok(())
    }

    /// Selects the two words of a value.
    pub(super) fn unpack(&mut self, ids: &[Id], ty: &Type, of: &(Type, Value)) -> Selected<()> {
        let whole = Operand::Register(self.register(&of.1, &of.0)?);
        let mut operands = Vec::new();
        for &id in ids {
            operands.push(Operand::Register(self.result(id, ty)?));
        }
        operands.push(whole);
        self.append(format!("mov.b{} {{$0, $1}}, $2;", of.0.bits()), 2, operands, true);
        Ok(())
    }
}
