//! Additions with a multiplication in them.

use super::fusion::Fusion;
use super::rows::suffix;
use super::selector::{Selected, Selector};
use crate::ir::tree::{Id, Value};
use crate::ir::types::Type;

impl Selector<'_> {
    /// Selects a fused multiplication and addition.
    pub(super) fn fuse(&mut self, id: Id, ty: &Type) -> Selected<()> {
        let Fusion { x, y, z, minus_product, minus_z } = self.fusions[&id].clone();
        // A constant is negated at once.
        let (x, y) = if matches!(y, Value::Real(_)) { (y, x) } else { (x, y) };
        let x = if minus_product { self.negative(&x, ty)? } else { self.operand(&x, ty)? };
        let y = self.operand(&y, ty)?;
        let z = if minus_z { self.negative(&z, ty)? } else { self.operand(&z, ty)? };
        let to = self.result(id, ty)?;
        self.make(&format!("fma.rn.{}", suffix(ty, 'f')), to, &[x, y, z]);
        Ok(())
    }

    /// Makes `mad` of an addition to a product that nothing else needs.
    pub(super) fn multiply_add(&mut self, id: Id, ty: &Type, operands: &[(Type, Value)]) -> Selected<bool> {
        let [(_, a), (_, b)] = operands else { return Ok(false) };
        for (product, other) in [(a, b), (b, a)] {
            let Value::Local(of) = product else { continue };
            let Some(made) = self.facts.made(product).filter(|made| {
                // In another block, it may be outside of a loop.
                made.name == "mul" && self.single[*of] && self.facts.home(*of) == self.block
            }) else {
                continue;
            };
            let [(_, x), (_, y)] = made.operands else { continue };
            let operands = [self.operand(x, ty)?, self.operand(y, ty)?, self.operand(other, ty)?];
            let to = self.result(id, ty)?;
            self.make(&format!("mad.lo.s{}", ty.bits()), to, &operands);
            return Ok(true);
        }
        Ok(false)
    }
}
