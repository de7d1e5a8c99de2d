//! Values as operands.

use super::selector::{Selected, Selector};
use crate::code::{Class, Operand, Register};
use crate::ir::tree::{BlockId, Id, Value};
use crate::ir::types::{BIT, Type};

/// Returns a real number as PTX writes it.
pub(super) fn real(value: f64, ty: &Type) -> String {
    match ty {
        Type::Double => format!("0d{:016X}", value.to_bits()),
        Type::Half => format!("0x{:04X}", half(value)),
        _ => format!("0f{:08X}", (value as f32).to_bits()),
    }
}

/// Returns the bits of a number that has 16 of them.
fn half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if size.is_nan() {
        return 0x7e00;
    }
    if size >= 65536.0 {
        return sign | 0x7c00;
    }
    if size < 2_f64.powi(-14) {
        return sign | (size * 2_f64.powi(24)) as u16;
    }
    let exponent = size.log2().floor() as i32;
    let fraction = (size / 2_f64.powi(exponent) - 1.0) * 1024.0;
    sign | ((exponent + 15) as u16) << 10 | fraction as u16
}

impl Selector<'_> {
    /// Returns a value as an operand. A pointer is an address in its own space.
    pub(super) fn operand(&mut self, value: &Value, ty: &Type) -> Selected<Operand> {
        if ty.is_pointer() {
            let address = self.addresses().address(value);
            return self.pointer(&address);
        }
        if *ty == BIT && !matches!(value, Value::Local(_)) {
            return self.constant_predicate(value).map(Operand::Register);
        }
        Ok(match value {
            Value::Local(id) => match self.values.get(id) {
                Some(operand) => operand.clone(),
                None => Operand::Register(self.result(*id, ty)?),
            },
            Value::Undefined if ty.is_real() => return self.operand(&Value::Real(0.0), ty),
            Value::Real(x) if *ty == Type::Half => {
                let bits = Operand::text(real(*x, ty));
                Operand::Register(self.made("mov.b16", Class::B16, &[bits]))
            }
            Value::Real(x) => Operand::text(real(*x, ty)),
            Value::Undefined => Operand::text("0"),
            Value::Integer(n) => Operand::text(n.to_string()),
            Value::Global(symbol) => {
                let address = self.addresses().address(value);
                let mut pointer = self.pointer(&address)?;
                if symbol.generic {
                    pointer = self.generic(pointer, address.space);
                }
                match Self::class(ty)? {
                    Class::B32 => Operand::Register(self.made("cvt.u32.u64", Class::B32, &[pointer])),
                    _ => pointer,
                }
            }
        })
    }

    fn constant_predicate(&mut self, value: &Value) -> Selected<Register> {
        let bit = match value {
            Value::Integer(n) => n & 1,
            Value::Undefined => 0,
            _ => return Err("a condition that is an address".into()),
        };
        Ok(self.made("setp.ne.b32", Class::Predicate, &[Operand::text(bit.to_string()), Operand::text("0")]))
    }

    /// Returns a value in a register.
    pub(super) fn register(&mut self, value: &Value, ty: &Type) -> Selected<Register> {
        match self.operand(value, ty)? {
            Operand::Register(register) => Ok(register),
            text => {
                let class = Self::class(ty)?;
                Ok(self.made(&format!("mov.{}", class.names().0), class, &[text]))
            }
        }
    }

    /// Returns the negative of a real number.
    pub(super) fn negative(&mut self, value: &Value, ty: &Type) -> Selected<Operand> {
        if let (Value::Real(x), false) = (value, *ty == Type::Half) {
            return Ok(Operand::text(real(-x, ty)));
        }
        if let Some(made) = self.facts.made(value)
            && made.name == "fneg"
        {
            return self.operand(&made.operands[0].1, ty);
        }
        let positive = self.register(value, ty)?;
        if let Some(known) = self.holding(self.negatives.get(&positive)) {
            return Ok(Operand::Register(known));
        }
        let op = format!("neg.{}", super::rows::suffix(ty, 'f'));
        let home = self.before_loops(value);
        let class = self.classes[positive];
        let negative = self.in_block(home, |this| this.made(&op, class, &[Operand::Register(positive)]));
        self.negatives.entry(positive).or_default().push((home, negative));
        Ok(Operand::Register(negative))
    }

    /// Returns the block before the outermost loop around the current block that does not make a value.
    fn before_loops(&self, value: &Value) -> BlockId {
        let Value::Local(id) = value else { return self.block };
        let home = self.facts.home(*id);
        let mut around = self.facts.flow.loops_of(self.block);
        around.find_map(|around| around.before.filter(|_| !around.blocks.contains(&home))).unwrap_or(self.block)
    }

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

    /// Returns a value extended to the width of its register, by its sign or by zeros.
    ///
    /// The bits above an integer that is narrower than its register are arbitrary, and most arithmetic ignores them. An
    /// instruction that depends on them extends its operands first.
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
