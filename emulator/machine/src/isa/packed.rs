//! Integers in the halves or bytes of a word: dot products of halves, sum, minimum, maximum and differences. These functions are
//! not optimized for SIMD of the host, because few kernels use them.

use super::class::Class;
use super::form::{Form, Modifiers};
use crate::vector::registers::OperandKind::Narrow;

/// A function of two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Minimum,
    Maximum,
}

/// The treatment of the parts' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Each is taken modulo its size.
    Wrap,
    /// Negative numbers become zero.
    Relu,
}

/// An instruction that processes the parts of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packed {
    /// A function of each pair of parts.
    Parts {
        function: Function,
        /// The bits of a part: 16 or 32.
        bits: u32,
        /// Whether the parts have a sign.
        signed: bool,
        finish: Finish,
    },
    /// The third operand plus the products of the halves of `a` and two bytes of `b`.
    Dot {
        /// Whether the bytes are the upper ones.
        high: bool,
        /// Whether the parts of `a` and of `b` have a sign.
        signed: [bool; 2],
    },
    /// The absolute differences of the parts without a sign.
    Difference {
        /// The bits of a part: 8 or 16.
        bits: u32,
        /// Whether the result is the third operand plus their sum.
        adds: bool,
    },
}

macro_rules! pair {
    ($name:literal, $types:literal, $function:ident, $finish:ident, $equation:literal) => {
        Form::row(concat!($name, ".", $types), Class::Integer, $equation, &[Narrow], &[Narrow; 2], |m| {
            pair(m, Function::$function, Finish::$finish)
        })
    };
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<Packed>] = &[
    Form::row(
        "dp2a.{lo|hi}.{u32|s32}.{u32|s32}",
        Class::Integer,
        "d = c + sum of the products of the halves of a and the lower or upper bytes of b",
        &[Narrow],
        &[Narrow; 3],
        |m| Packed::Dot { high: m.has("hi"), signed: [1, 2].map(|index| m.0[index] == "s32") },
    ),
    // NVRTC compiles CUDA's functions of bytes and halves to these, such as `__vsadu4`, and else to ordinary instructions.
    Form::row(
        "vabsdiff2.u32.u32.u32.add",
        Class::Integer,
        "d = c + sum of the halves of |a - b|",
        &[Narrow],
        &[Narrow; 3],
        |_| Packed::Difference { bits: 16, adds: true },
    ),
    Form::row(
        "vabsdiff4.u32.u32.u32[.add]",
        Class::Integer,
        "bytes of d = |a - b|; with .add, d = c + their sum",
        &[Narrow],
        &[Narrow; 3],
        |m| Packed::Difference { bits: 8, adds: m.has("add") },
    ),
    pair!("add", "{u16x2|s16x2}", Add, Wrap, "halves of d = a + b"),
    pair!("min", "{u16x2|s16x2}", Minimum, Wrap, "halves of d = min(a, b)"),
    pair!("max", "{u16x2|s16x2}", Maximum, Wrap, "halves of d = max(a, b)"),
    pair!("min.relu", "{s16x2|s32}", Minimum, Relu, "d, or its halves = max(min(a, b), 0)"),
    pair!("max.relu", "{s16x2|s32}", Maximum, Relu, "d, or its halves = max(a, b, 0)"),
];

fn pair(modifiers: &Modifiers<'_>, function: Function, finish: Finish) -> Packed {
    let bits = if modifiers.last() == "s32" { 32 } else { 16 };
    Packed::Parts { function, bits, signed: modifiers.last().starts_with('s'), finish }
}

/// Returns the low `bits` bits, extended with zeros or with their sign.
fn extend(word: u64, bits: u32, signed: bool) -> i64 {
    let unused = 64 - bits;
    let high = word << unused;
    if signed { high as i64 >> unused } else { (high >> unused) as i64 }
}

impl Function {
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a + b,
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
        }
    }
}

impl Packed {
    /// Computes the result. Without a third operand, `c` is any value.
    pub(super) fn apply(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Self::Parts { function, bits, signed, finish } => {
                let operand = |word: u32, shift: u32| extend(u64::from(word >> shift), bits, signed);
                let part = |shift| {
                    let value = function.apply(operand(a, shift), operand(b, shift));
                    let value = if finish == Finish::Relu { value.max(0) } else { value };
                    (value as u32 & (u32::MAX >> (32 - bits))) << shift
                };
                (0..32).step_by(bits as usize).fold(0, |word, shift| word | part(shift))
            }
            Self::Dot { high, signed: [of_a, of_b] } => {
                let bytes = if high { b >> 16 } else { b };
                let product = |index: u32| {
                    let half = extend(u64::from(a >> (16 * index)), 16, of_a);
                    (half * extend(u64::from(bytes >> (8 * index)), 8, of_b)) as u32
                };
                c.wrapping_add(product(0)).wrapping_add(product(1))
            }
            Self::Difference { bits, adds } => {
                let part = |word: u32, shift: u32| word >> shift & (u32::MAX >> (32 - bits));
                (0..32).step_by(bits as usize).fold(if adds { c } else { 0 }, |word, shift| {
                    let difference = part(a, shift).abs_diff(part(b, shift));
                    word.wrapping_add(if adds { difference } else { difference << shift })
                })
            }
        }
    }
}
