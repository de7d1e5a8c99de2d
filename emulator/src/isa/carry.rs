//! Integer sums that hand a carry on, for numbers of more bits than a register: `.cc` writes the condition code, a `c` in
//! the name reads it. After a difference it says that nothing was borrowed, as on an H200, which adds the complement.

use super::integer::Integer;
use super::{Arithmetic, Form, Modifiers, Operation};
use crate::lower::step::{Action, Step};
use crate::vector::apply::apply3;
use crate::vector::registers::OperandKind;
use crate::vector::registers::{Lanes, Registers};
use crate::vector::simd::Simd;

/// A sum or difference with the condition code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carry {
    /// What takes half of the product of the first two operands, where the first term is one.
    pub(crate) product: Option<Integer>,
    pub(crate) subtract: bool,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// Which part of a sum with carry a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryPart {
    Sum,
    Carry,
}

/// Computes `a + b + carry` or `a + ~b + carry`, or what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CarryStep {
    pub(crate) part: CarryPart,
    pub(crate) subtract: bool,
    pub(crate) wide: bool,
}

const NARROW2: [OperandKind; 3] = [OperandKind::Narrow; 3];
const NARROW3: [OperandKind; 4] = [OperandKind::Narrow; 4];
const WIDE2: [OperandKind; 3] = [OperandKind::Wide; 3];
const WIDE3: [OperandKind; 4] = [OperandKind::Wide; 4];

/// Rows of the table.
pub(crate) const FORMS: &[Form] = &[
    Form::row("add.cc.{u32|s32}", "cc:d = a + b", &NARROW2, |m| carry(m, false, false)),
    Form::row("add.cc.{u64|s64}", "cc:d = a + b", &WIDE2, |m| carry(m, false, false)),
    Form::row("addc[.cc].{u32|s32}", "cc:d = a + b + cc", &NARROW2, |m| carry(m, false, true)),
    Form::row("addc[.cc].{u64|s64}", "cc:d = a + b + cc", &WIDE2, |m| carry(m, false, true)),
    Form::row("sub.cc.{u32|s32}", "cc:d = a + ~b + 1", &NARROW2, |m| carry(m, true, false)),
    Form::row("sub.cc.{u64|s64}", "cc:d = a + ~b + 1", &WIDE2, |m| carry(m, true, false)),
    Form::row("subc[.cc].{u32|s32}", "cc:d = a + ~b + cc", &NARROW2, |m| carry(m, true, true)),
    Form::row("subc[.cc].{u64|s64}", "cc:d = a + ~b + cc", &WIDE2, |m| carry(m, true, true)),
    Form::row("mad.{lo|hi}.cc.{u32|s32}", "cc:d = half of a * b, + c", &NARROW3, |m| carry(m, false, false)),
    Form::row("mad.{lo|hi}.cc.{u64|s64}", "cc:d = half of a * b, + c", &WIDE3, |m| carry(m, false, false)),
    Form::row("madc.{lo|hi}[.cc].{u32|s32}", "cc:d = half of a * b, + c + cc", &NARROW3, |m| carry(m, false, true)),
    Form::row("madc.{lo|hi}[.cc].{u64|s64}", "cc:d = half of a * b, + c + cc", &WIDE3, |m| carry(m, false, true)),
];

fn carry(modifiers: &Modifiers<'_>, subtract: bool, reads: bool) -> Operation {
    let product = match (modifiers.0[0], modifiers.last()) {
        ("lo", "u32" | "s32") => Some(Integer::MulLow32),
        ("lo", _) => Some(Integer::MulLow64),
        ("hi", "u32") => Some(Integer::MulHighU32),
        ("hi", "s32") => Some(Integer::MulHighS32),
        ("hi", "u64") => Some(Integer::MulHighU64),
        ("hi", _) => Some(Integer::MulHighS64),
        _ => None,
    };
    Operation::Carry(Carry { product, subtract, reads, writes: modifiers.has("cc") })
}

/// Executes one part of a sum.
pub(crate) fn execute(_: Simd, step: &Step, registers: &mut Registers, lanes: &Lanes) {
    let Action::Arithmetic(Arithmetic::Carry(CarryStep { part, subtract, wide })) = step.action else { return };
    let places = &step.places;
    match (wide, part) {
        (false, CarryPart::Sum) => {
            apply3(registers, lanes, places, |a: u32, b: u32, c: bool| narrow(a, b, c, subtract) as u32);
        }
        (true, CarryPart::Sum) => {
            apply3(registers, lanes, places, |a: u64, b: u64, c: bool| wider(a, b, c, subtract) as u64);
        }
        (false, CarryPart::Carry) => {
            apply3(registers, lanes, places, |a: u32, b: u32, c: bool| narrow(a, b, c, subtract) >> 32 != 0);
        }
        (true, CarryPart::Carry) => {
            apply3(registers, lanes, places, |a: u64, b: u64, c: bool| wider(a, b, c, subtract) >> 64 != 0);
        }
    }
}

/// The sum with what goes beyond 32 bits; a difference adds the complement of its second term.
#[inline(always)]
fn narrow(a: u32, b: u32, carry: bool, subtract: bool) -> u64 {
    u64::from(a) + u64::from(if subtract { !b } else { b }) + u64::from(carry)
}

/// The same of 64 bits.
#[inline(always)]
fn wider(a: u64, b: u64, carry: bool, subtract: bool) -> u128 {
    u128::from(a) + u128::from(if subtract { !b } else { b }) + u128::from(carry)
}
