//! Integer sums with a carry, for numbers with more bits than a register. `.cc` writes the condition code, and a `c` in the name
//! reads it. After a difference it is 1 if there was no borrow, as on an H200, which adds the complement.

use super::class::Class;
use super::form::{Form, Modifiers};
use super::integer::Integer;
use crate::vector::apply::{Handler, lanes3};
use crate::vector::registers::OperandKind::{self, Narrow, Wide};

/// A sum or difference that reads or writes the condition code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carry {
    /// The operation that computes half of the product of the first two operands, if that is the first term.
    pub(crate) product: Option<Integer>,
    pub(crate) subtract: bool,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// The part of a sum with carry that a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryPart {
    Sum,
    Carry,
}

/// A step that computes `a + b + carry` or `a + ~b + carry`: the sum, or its carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CarryStep {
    pub(crate) part: CarryPart,
    pub(crate) subtract: bool,
    pub(crate) wide: bool,
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Carry>] = &[
    row("add.cc.{u32|s32}", "cc:d = a + b", &[Narrow; 2], |m| carry(m, false, false)),
    row("add.cc.{u64|s64}", "cc:d = a + b", &[Wide; 2], |m| carry(m, false, false)),
    row("addc[.cc].{u32|s32}", "cc:d = a + b + cc", &[Narrow; 2], |m| carry(m, false, true)),
    row("addc[.cc].{u64|s64}", "cc:d = a + b + cc", &[Wide; 2], |m| carry(m, false, true)),
    row("sub.cc.{u32|s32}", "cc:d = a + ~b + 1", &[Narrow; 2], |m| carry(m, true, false)),
    row("sub.cc.{u64|s64}", "cc:d = a + ~b + 1", &[Wide; 2], |m| carry(m, true, false)),
    row("subc[.cc].{u32|s32}", "cc:d = a + ~b + cc", &[Narrow; 2], |m| carry(m, true, true)),
    row("subc[.cc].{u64|s64}", "cc:d = a + ~b + cc", &[Wide; 2], |m| carry(m, true, true)),
    row("mad.{lo|hi}.cc.{u32|s32}", "cc:d = (half of a * b) + c", &[Narrow; 3], |m| carry(m, false, false)),
    row("mad.{lo|hi}.cc.{u64|s64}", "cc:d = (half of a * b) + c", &[Wide; 3], |m| carry(m, false, false)),
    row("madc.{lo|hi}[.cc].{u32|s32}", "cc:d = (half of a * b) + c + cc", &[Narrow; 3], |m| carry(m, false, true)),
    row("madc.{lo|hi}[.cc].{u64|s64}", "cc:d = (half of a * b) + c + cc", &[Wide; 3], |m| carry(m, false, true)),
];

const fn row(
    pattern: &'static str,
    equation: &'static str,
    sources: &'static [OperandKind],
    build: fn(&Modifiers<'_>) -> Carry,
) -> Form<Carry> {
    Form::in_one_file(pattern, Class::Integer, equation, sources, build)
}

fn carry(modifiers: &Modifiers<'_>, subtract: bool, reads: bool) -> Carry {
    let product = match (modifiers.0[0], modifiers.last()) {
        ("lo", "u32" | "s32") => Some(Integer::MulLow32),
        ("lo", _) => Some(Integer::MulLow64),
        ("hi", "u32") => Some(Integer::MulHighU32),
        ("hi", "s32") => Some(Integer::MulHighS32),
        ("hi", "u64") => Some(Integer::MulHighU64),
        ("hi", _) => Some(Integer::MulHighS64),
        _ => None,
    };
    Carry { product, subtract, reads, writes: modifiers.has("cc") }
}

impl CarryStep {
    /// Returns the function that executes the step.
    pub(crate) fn handler(self) -> Handler {
        let Self { part, subtract, wide } = self;
        match (wide, part) {
            (false, CarryPart::Sum) => lanes3(move |a: u32, b: u32, c: bool| narrow(a, b, c, subtract) as u32),
            (true, CarryPart::Sum) => lanes3(move |a: u64, b: u64, c: bool| wider(a, b, c, subtract) as u64),
            (false, CarryPart::Carry) => lanes3(move |a: u32, b: u32, c: bool| narrow(a, b, c, subtract) >> 32 != 0),
            (true, CarryPart::Carry) => lanes3(move |a: u64, b: u64, c: bool| wider(a, b, c, subtract) >> 64 != 0),
        }
    }
}

/// Returns the sum of two 32-bit terms with its carry. A difference adds the complement of its second term.
#[inline(always)]
fn narrow(a: u32, b: u32, carry: bool, subtract: bool) -> u64 {
    u64::from(a) + u64::from(if subtract { !b } else { b }) + u64::from(carry)
}

/// Returns the sum of two 64-bit terms with its carry.
#[inline(always)]
fn wider(a: u64, b: u64, carry: bool, subtract: bool) -> u128 {
    u128::from(a) + u128::from(if subtract { !b } else { b }) + u128::from(carry)
}
