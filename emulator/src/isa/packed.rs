//! Integers in the halves or bytes of a word: SIMD video instructions, dot products of halves, minimum and maximum. These
//! functions are not optimized for SIMD of the host, because few kernels use them.

use super::class::Class;
use super::form::{Form, Modifiers};
use crate::vector::apply::{Handler, Places, apply3};
use crate::vector::registers::OperandKind::Narrow;
use crate::vector::registers::Registers;

/// A function of two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Subtract,
    /// The average, rounded up if it is positive.
    Average,
    /// The absolute value of the difference.
    Difference,
    Minimum,
    Maximum,
}

/// The treatment of the parts' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Each is taken modulo its size.
    Wrap,
    /// Each is clamped to the range of its type.
    Saturate,
    /// Negative numbers become zero.
    Relu,
    /// All are added to the third operand.
    Accumulate,
}

/// An instruction that processes the parts of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packed {
    /// A function of each pair of parts.
    Parts {
        function: Function,
        /// The bits of a part: 8, 16 or 32.
        bits: u32,
        /// Whether the parts of the result, of `a` and of `b` have a sign.
        signed: [bool; 3],
        finish: Finish,
    },
    /// The third operand plus the products of the halves of `a` and two bytes of `b`.
    Dot {
        /// Whether the bytes are the upper ones.
        high: bool,
        /// Whether the parts of `a` and of `b` have a sign.
        signed: [bool; 2],
    },
}

macro_rules! simd {
    ($name:literal, $function:ident, $bits:literal, $equation:literal) => {
        Form::row(
            concat!($name, ".{u32|s32}.{u32|s32}.{u32|s32}[.sat|.add]"),
            Class::Integer,
            concat!("parts of d = ", $equation, ", clamped with .sat; with .add, d = c + their sum"),
            &[Narrow],
            &[Narrow; 3],
            |m| simd(m, Function::$function, $bits),
        )
    };
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
    pair!("add", "{u16x2|s16x2}", Add, Wrap, "halves of d = a + b"),
    pair!("min", "{u16x2|s16x2}", Minimum, Wrap, "halves of d = min(a, b)"),
    pair!("max", "{u16x2|s16x2}", Maximum, Wrap, "halves of d = max(a, b)"),
    pair!("min.relu", "{s16x2|s32}", Minimum, Relu, "d, or its halves = max(min(a, b), 0)"),
    pair!("max.relu", "{s16x2|s32}", Maximum, Relu, "d, or its halves = max(a, b, 0)"),
    simd!("vadd2", Add, 16, "a + b"),
    simd!("vsub2", Subtract, 16, "a - b"),
    simd!("vavrg2", Average, 16, "average of a and b"),
    simd!("vabsdiff2", Difference, 16, "|a - b|"),
    simd!("vmin2", Minimum, 16, "min(a, b)"),
    simd!("vmax2", Maximum, 16, "max(a, b)"),
    simd!("vadd4", Add, 8, "a + b"),
    simd!("vsub4", Subtract, 8, "a - b"),
    simd!("vavrg4", Average, 8, "average of a and b"),
    simd!("vabsdiff4", Difference, 8, "|a - b|"),
    simd!("vmin4", Minimum, 8, "min(a, b)"),
    simd!("vmax4", Maximum, 8, "max(a, b)"),
];

fn simd(modifiers: &Modifiers<'_>, function: Function, bits: u32) -> Packed {
    let finish = match modifiers.last() {
        "sat" => Finish::Saturate,
        "add" => Finish::Accumulate,
        _ => Finish::Wrap,
    };
    Packed::Parts { function, bits, signed: [0, 1, 2].map(|index| modifiers.0[index] == "s32"), finish }
}

fn pair(modifiers: &Modifiers<'_>, function: Function, finish: Finish) -> Packed {
    let bits = if modifiers.last() == "s32" { 32 } else { 16 };
    Packed::Parts { function, bits, signed: [modifiers.last().starts_with('s'); 3], finish }
}

/// Returns the low `bits` bits, extended with zeros or with their sign.
fn extend(word: u32, bits: u32, signed: bool) -> i64 {
    let unused = 64 - bits;
    let high = u64::from(word) << unused;
    if signed { high as i64 >> unused } else { (high >> unused) as i64 }
}

impl Function {
    fn of(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Self::Difference => (a - b).abs(),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
        }
    }
}

impl Packed {
    /// Returns the function that executes the instruction. Without a third operand, `c` is any value.
    pub(crate) fn handler(self) -> Handler {
        Box::new(move |places: &Places, registers: &mut Registers, warps: &[u8]| {
            apply3(registers, warps, places, |a: u32, b: u32, c: u32| self.of(a, b, c));
        })
    }

    fn of(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Self::Parts { function, bits, signed: [of_result, of_a, of_b], finish } => {
                let value = |shift: u32| function.of(extend(a >> shift, bits, of_a), extend(b >> shift, bits, of_b));
                let shifts = (0..32).step_by(bits as usize);
                if finish == Finish::Accumulate {
                    return shifts.fold(c, |sum, shift| sum.wrapping_add(value(shift) as u32));
                }
                let (low, high) =
                    if of_result { (-(1_i64 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                let finished = |value: i64| match finish {
                    Finish::Saturate => value.clamp(low, high),
                    Finish::Relu => value.max(0),
                    Finish::Wrap | Finish::Accumulate => value,
                };
                let part = |shift| (finished(value(shift)) as u32 & (u32::MAX >> (32 - bits))) << shift;
                shifts.fold(0, |word, shift| word | part(shift))
            }
            Self::Dot { high, signed: [of_a, of_b] } => {
                let bytes = if high { b >> 16 } else { b };
                let product = |index: u32| {
                    let half = extend(a >> (16 * index), 16, of_a);
                    (half * extend(bytes >> (8 * index), 8, of_b)) as u32
                };
                c.wrapping_add(product(0)).wrapping_add(product(1))
            }
        }
    }
}
