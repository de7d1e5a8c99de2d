//! Integers that are narrower than their registers. What is above them is arbitrary, so that most arithmetic needs no care;
//! what depends on the upper bits extends its operands first.

use super::selector::{Selected, Selector};
use crate::code::{Class, Operand, Register};
use crate::ir::tree::Value;
use crate::ir::types::Type;

impl Selector<'_> {
    /// Returns a value extended to the width of its register, by its sign or by zeros.
    pub(super) fn extend_operand(&mut self, value: &Value, ty: &Type, signed: bool) -> Selected<Operand> {
        let operand = self.operand(value, ty)?;
        let Type::Integer(bits @ (2..=31 | 33..=63)) = *ty else { return Ok(operand) };
        match (value, &operand) {
            (Value::Integer(n), _) => {
                let spare = 64 - bits;
                let extended = if signed { n << spare >> spare } else { ((*n as u64) << spare >> spare) as i64 };
                Ok(Operand::text(extended.to_string()))
            }
            (_, Operand::Register(register)) if !self.is_extended(*register, bits, signed) => {
                Ok(Operand::Register(self.extend(*register, bits, signed)))
            }
            _ => Ok(operand),
        }
    }

    /// Whether the upper bits of a register are those of a number of so many bits.
    fn is_extended(&self, register: Register, bits: u32, signed: bool) -> bool {
        self.extended.get(&register).is_some_and(|&(known, by_sign)| match (signed, by_sign) {
            (true, true) | (false, false) => known <= bits,
            (true, false) => known < bits,
            (false, true) => false,
        })
    }

    fn extend(&mut self, register: Register, bits: u32, signed: bool) -> Register {
        let class = if bits < 32 { Class::B32 } else { Class::B64 };
        let width = class.names().0.trim_start_matches('b');
        let operand = Operand::Register(register);
        let to = match (signed, bits) {
            (true, 8 | 16) => self.made(&format!("cvt.s32.s{bits}"), class, &[operand]),
            (true, _) => {
                let range = [operand, Operand::text("0"), Operand::text(bits.to_string())];
                self.made(&format!("bfe.s{width}"), class, &range)
            }
            (false, _) => {
                let mask = Operand::text(((1_u64 << bits) - 1).to_string());
                self.made(&format!("and.b{width}"), class, &[operand, mask])
            }
        };
        self.extended.insert(to, (bits, signed));
        to
    }
}
