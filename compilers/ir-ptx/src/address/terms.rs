//! Addresses as sums: a base, multiples of integers, and a number of bytes.

use super::counters::Widen;
use super::spaces::Spaces;
use crate::facts::Facts;
use crate::ir::tree::{Id, Operation, Value};
use crate::ir::types::Type;
use crate::space::Space;

/// The base of an address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Base {
    /// A variable of the module, a local variable, or a parameter that is a structure.
    Symbol(String),
    /// A pointer that is not taken apart.
    Pointer(Id),
    /// Nothing.
    Number,
}

/// A multiple of an integer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term {
    pub(crate) value: Id,
    pub(crate) widen: Widen,
    pub(crate) scale: i64,
}

/// An address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) space: Space,
    pub(crate) base: Base,
    pub(crate) terms: Vec<Term>,
    pub(crate) offset: i64,
}

impl Address {
    /// Whether two addresses differ in their bytes at most.
    pub(crate) fn differs_in_bytes_alone(&self, other: &Self) -> bool {
        self.space == other.space && self.base == other.base && self.terms == other.terms
    }

    /// Returns the address so many bytes on.
    pub(crate) fn plus(&self, bytes: i64) -> Self {
        Self { offset: self.offset.wrapping_add(bytes), ..self.clone() }
    }
}

/// Returns a name as PTX allows it.
pub(crate) fn symbol(name: &str) -> String {
    name.replace('.', "_$_").replace(|c: char| !(c.is_ascii_alphanumeric() || "_$".contains(c)), "_")
}

/// Returns the name of a parameter of a function.
pub(crate) fn parameter(function: &str, number: usize) -> String {
    format!("{}_param_{number}", symbol(function))
}

/// Returns the name of a local variable.
pub(crate) fn local(id: Id) -> String {
    format!("__local_{id}")
}

/// Takes the addresses of a function apart.
pub(crate) struct Addresses<'f, 'a> {
    pub(crate) facts: &'f Facts<'a>,
    pub(crate) spaces: &'f Spaces<'a>,
}

impl Addresses<'_, '_> {
    /// Takes an address apart.
    pub(crate) fn address(&self, value: &Value) -> Address {
        let whole = |space, base, offset| Address { space, base, terms: Vec::new(), offset };
        match value {
            Value::Global(of) => whole(self.spaces.space(value), Base::Symbol(symbol(&of.name)), of.offset),
            Value::Integer(n) => whole(Space::Generic, Base::Number, *n),
            Value::Undefined | Value::Real(_) => whole(Space::Generic, Base::Number, 0),
            Value::Local(id) => match self.facts.operation(*id) {
                Some(Operation::Element { base, offset, terms }) => {
                    let mut address = self.address(base).plus(*offset);
                    for (scale, index, ty) in terms {
                        let widen = if *ty == Type::Integer(64) { Widen::Not } else { Widen::Signed };
                        self.add(&mut address, index, widen, *scale);
                    }
                    address
                }
                Some(Operation::Row { row, ty: Type::Pointer(_), operands, .. }) if row.name == "addrspacecast" => {
                    self.cast(*id, &operands[0].1)
                }
                Some(Operation::Variable { .. }) => whole(Space::Local, Base::Symbol(local(*id)), 0),
                _ => whole(self.spaces.space_of(*id), self.unknown(*id), 0),
            },
        }
    }

    /// Returns the address in another space: that of global memory and the generic one are the same, and others are made by an
    /// instruction of its own.
    fn cast(&self, id: Id, of: &Value) -> Address {
        let address = self.address(of);
        let space = self.spaces.space_of(id);
        let is_same = |space| space == Space::Global || space == Space::Generic;
        if address.space == space || is_same(address.space) && is_same(space) {
            return Address { space, ..address };
        }
        Address { space, base: Base::Pointer(id), terms: Vec::new(), offset: 0 }
    }

    fn unknown(&self, id: Id) -> Base {
        let function = self.facts.function;
        let number =
            function.parameters.iter().position(|parameter| parameter.id == id && parameter.by_value.is_some());
        number.map_or(Base::Pointer(id), |number| Base::Symbol(parameter(&function.name, number)))
    }

    /// Adds `scale` times an integer, which is taken apart as far as its arithmetic cannot overflow.
    pub(crate) fn add(&self, address: &mut Address, value: &Value, widen: Widen, scale: i64) {
        let id = match value {
            Value::Local(id) => *id,
            Value::Integer(n) => {
                let n = if widen == Widen::Unsigned { i64::from(*n as u32) } else { *n };
                address.offset = address.offset.wrapping_add(scale.wrapping_mul(n));
                return;
            }
            _ => return,
        };
        if !self.add_parts(address, value, id, widen, scale) {
            // What is not negative widens either way: one of them for all.
            let widen = if widen == Widen::Signed && self.is_never_negative(value) { Widen::Unsigned } else { widen };
            match address.terms.iter_mut().find(|term| term.value == id && term.widen == widen) {
                Some(term) => term.scale = term.scale.wrapping_add(scale),
                None => address.terms.push(Term { value: id, widen, scale }),
            }
            address.terms.retain(|term| term.scale != 0);
        }
    }

    /// Adds the parts of an integer; false if it has none that may be added one by one.
    fn add_parts(&self, address: &mut Address, value: &Value, id: Id, widen: Widen, scale: i64) -> bool {
        let Some(made) = self.facts.made(value) else { return false };
        let exact = match widen {
            Widen::Not => true,
            Widen::Signed => made.flags.nsw || made.flags.disjoint,
            Widen::Unsigned => made.flags.nuw || made.flags.disjoint,
        };
        match (made.name, made.operands) {
            ("sext" | "zext", [(Type::Integer(32), of)]) if widen == Widen::Not => {
                // What is not negative widens either way: its own arithmetic says which way it may be taken apart.
                let signed = made.name == "sext" || made.flags.nneg && self.is_signed(of);
                self.add(address, of, if signed { Widen::Signed } else { Widen::Unsigned }, scale);
                true
            }
            ("add" | "or", [(_, a), (_, b)]) if exact && (made.name == "add" || made.flags.disjoint) => {
                let apart = matches!(b, Value::Integer(_)) || widen == Widen::Not || self.is_worth_splitting(id, a, b);
                if apart {
                    self.add(address, a, widen, scale);
                    self.add(address, b, widen, scale);
                }
                apart
            }
            ("shl", [(_, of), (_, Value::Integer(bits @ 0..32))]) if exact => {
                scale.checked_mul(1 << bits).inspect(|scale| self.add(address, of, widen, *scale)).is_some()
            }
            ("mul", [(_, of), (_, Value::Integer(factor))]) if exact && (widen != Widen::Unsigned || *factor > 0) => {
                scale.checked_mul(*factor).inspect(|scale| self.add(address, of, widen, *scale)).is_some()
            }
            _ => false,
        }
    }

    /// Whether signed arithmetic made an integer.
    fn is_signed(&self, value: &Value) -> bool {
        if let Some(made) = self.facts.made(value) {
            return made.flags.nsw || made.flags.disjoint;
        }
        matches!(value, Value::Local(id) if self.facts.counter(*id).is_some_and(|counter| counter.is_exact(Widen::Signed)))
    }

    /// Whether an integer of 32 bits is below 2^31 for what it is.
    fn is_never_negative(&self, value: &Value) -> bool {
        let Some(made) = self.facts.made(value) else { return false };
        match (made.name, made.operands) {
            ("lshr", [_, (_, Value::Integer(1..))]) | ("and", [_, (_, Value::Integer(0..))]) => true,
            ("zext", [(of, _)]) => of.bits() < 32,
            (name, []) => {
                name.starts_with("llvm.nvvm.read.ptx.sreg.tid.") || name.starts_with("llvm.nvvm.read.ptx.sreg.ntid.")
            }
            _ => false,
        }
    }

    /// Whether a value is what the loop with this header counts, plus a constant.
    fn is_counted_by(&self, header: usize, value: &Value) -> bool {
        let Value::Local(id) = value else { return false };
        if self.facts.counter(*id).is_some_and(|counter| counter.header == header) {
            return true;
        }
        let Some(made) = self.facts.made(value) else { return false };
        let is_exact = made.name == "add" && made.flags.nsw || made.name == "or" && made.flags.disjoint;
        match made.operands {
            [(_, of), (_, Value::Integer(_))] => is_exact && self.is_counted_by(header, of),
            _ => false,
        }
    }

    /// Whether a sum is of what the innermost loop counts and of what does not change in it.
    fn is_worth_splitting(&self, sum: Id, a: &Value, b: &Value) -> bool {
        let Some(around) = self.facts.flow.loops_of(self.facts.home(sum)).next_back() else { return false };
        let counted = |value: &Value| self.is_counted_by(around.header, value);
        let fixed = |value: &Value| !matches!(value, Value::Local(id) if around.blocks.contains(&self.facts.home(*id)));
        counted(a) && fixed(b) || counted(b) && fixed(a)
    }
}
