//! Atomic operations. Like LLVM's back end, this takes the strictest order, which clang gives to CUDA's functions, for none:
//! CUDA promises none.

use super::rows::suffix;
use super::selector::{Selected, Selector};
use crate::code::{Class, Operand};
use crate::ir::tree::{Access, Id, Value};
use crate::ir::types::Type;

/// Returns the operation and its type in PTX.
fn opcode(name: &str, ty: &Type) -> Option<String> {
    let integer = matches!(ty, Type::Integer(32 | 64));
    let (name, letter) = match name {
        "xchg" => ("exch", 'b'),
        "add" if integer => ("add", 'u'),
        "min" | "max" if integer => (name, 's'),
        "umin" | "umax" if integer => (&name[1..], 'u'),
        "uinc_wrap" | "udec_wrap" if ty.bits() == 32 => (&name[1..4], 'u'),
        "and" | "or" | "xor" if integer => (name, 'b'),
        "fadd" if *ty == Type::Half => return Some("add.noftz.f16".into()),
        "fadd" => ("add", 'f'),
        _ => return None,
    };
    (ty.bits() >= 32).then(|| format!("{name}.{}", suffix(ty, letter)))
}

/// Returns the modifiers for the order and scope of an access.
fn order(access: &Access) -> String {
    match access.order.strip_prefix(".seq_cst").or_else(|| access.order.strip_prefix(".relaxed")) {
        Some(".sys") => String::new(),
        Some(scope) => scope.to_owned(),
        None => access.order.clone(),
    }
}

impl Selector<'_> {
    /// Selects an operation that returns the old value.
    pub(super) fn atomic(&mut self, id: Id, name: &str, access: &Access, value: &Value) -> Selected<()> {
        let ty = &access.ty;
        let mut name = name;
        let mut operand = self.generic_pointer(value, ty)?;
        if name == "sub" && matches!(ty, Type::Integer(32 | 64)) {
            let class = Self::class(ty)?;
            let op = format!("neg.{}", suffix(ty, 's'));
            (name, operand) = ("add", Operand::Register(self.made(&op, class, &[operand])));
        }
        let op = opcode(name, ty).ok_or_else(|| format!("`atomicrmw {name}` of `{ty}`"))?;
        let address = self.address_of(access);
        let order = order(access);
        let space = address.space.modifier();
        let (bracket, plus) = self.bracket(&address)?;
        let to = Operand::Register(self.result(id, ty)?);
        self.push(format!("atom{order}{space}.{op} $0, [$1{plus}], $2;"), 1, vec![to, bracket, operand]);
        Ok(())
    }

    /// Selects a compare and exchange, which returns the old value and whether it was as expected.
    pub(super) fn exchange(&mut self, ids: &[Id], access: &Access, expected: &Value, new: &Value) -> Selected<()> {
        let ty = &access.ty;
        if !matches!(ty, Type::Integer(32 | 64) | Type::Pointer(_)) {
            return Err(format!("`cmpxchg` of `{ty}`"));
        }
        let expected = self.generic_pointer(expected, ty)?;
        let new = self.generic_pointer(new, ty)?;
        let address = self.address_of(access);
        let order = order(access);
        let space = address.space.modifier();
        let bits = ty.bits();
        let (bracket, plus) = self.bracket(&address)?;
        let old = Operand::Register(self.result(ids[0], ty)?);
        let operands = vec![old.clone(), bracket, expected.clone(), new];
        self.push(format!("atom{order}{space}.cas.b{bits} $0, [$1{plus}], $2, $3;"), 1, operands);
        let equal = self.made(&format!("setp.eq.b{bits}"), Class::Predicate, &[old, expected]);
        self.values.insert(ids[1], Operand::Register(equal));
        Ok(())
    }
}
