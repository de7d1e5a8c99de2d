//! 16-bit floating-point numbers, single and in pairs: `f16` with 11 significant bits, and `bf16` with 8 and the range of f32.
//!
//! A result is computed in double precision and rounded once. Inexact sums are rounded to odd in double precision, so that
//! `fma.rn.f16` is correctly rounded. These functions are not optimized for SIMD, because few kernels use them.

use super::class::Class;
use super::direction::Rounding;
use super::form::{Form, Modifiers};
use super::rounding::{saturate, sum_to_odd};
use crate::vector::apply::{Handler, lanes1, lanes2, lanes3};
use crate::vector::registers::OperandKind::{self, Narrow, Predicate};

/// A 16-bit format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    F16,
    Bf16,
}

/// The canonical NaN of the PTX manual in both formats.
const NAN: u16 = 0x7FFF;

impl Format {
    fn from(name: &str) -> Self {
        if name.starts_with("bf16") { Self::Bf16 } else { Self::F16 }
    }

    /// Returns the number of fraction bits, the exponent of the smallest normal number, and the bits of infinity.
    const fn layout(self) -> (i32, i32, u16) {
        match self {
            Self::F16 => (10, -14, 0x7C00),
            Self::Bf16 => (7, -126, 0x7F80),
        }
    }

    /// Returns the number that `bits` encode.
    pub(crate) fn decode(self, bits: u16) -> f64 {
        if self == Self::Bf16 {
            return f64::from(f32::from_bits(u32::from(bits) << 16));
        }
        let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
        let exponent = i32::from(bits >> 10 & 0x1F);
        let fraction = f64::from(bits & 0x3FF);
        sign * match exponent {
            0 => fraction * 2_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
        }
    }

    /// Rounds `value` and returns its bits.
    pub(crate) fn encode(self, value: f64, rounding: Rounding) -> u16 {
        let (fraction_bits, least, infinity) = self.layout();
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let magnitude = value.abs();
        if value.is_nan() {
            return NAN;
        }
        if magnitude.is_infinite() {
            return sign | infinity;
        }
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
        let unit = 2_f64.powi(exponent - fraction_bits);
        // The number of units. A carry out of the fraction correctly increments the exponent.
        let units = rounding.to_integral(value / unit).abs();
        let coded = f64::from((exponent - least) << fraction_bits) + units;
        let beyond = rounding == Rounding::Nearest || rounding.to_integral(value.signum() * 0.5) != 0.0;
        let overflow = if beyond { infinity } else { infinity - 1 };
        sign | if coded >= f64::from(infinity) { overflow } else { coded as u16 }
    }

    /// Returns `bits`, or zero with their sign if they encode a subnormal number.
    fn flush(self, bits: u16) -> u16 {
        let (.., infinity) = self.layout();
        if bits & infinity == 0 { bits & 0x8000 } else { bits }
    }

    fn is_nan(self, bits: u16) -> bool {
        let (.., infinity) = self.layout();
        bits & 0x7FFF > infinity
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Add,
    Subtract,
    Multiply,
    Fused,
    Negate,
    Absolute,
    Minimum,
    Maximum,
}

/// An arithmetic instruction with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    function: Function,
    format: Format,
    packed: bool,
    flush: bool,
    saturate: bool,
    /// Whether negative results become zero.
    relu: bool,
    /// Whether a minimum or maximum is a NaN if either operand is a NaN.
    nan: bool,
}

/// A comparison of halves. Of pairs, it compares either the low or the high halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfCompare {
    format: Format,
    /// The result if the first operand is less, equal, greater, and if either is a NaN.
    holds: [bool; 4],
    flush: bool,
    packed: bool,
    high: bool,
}

/// A comparison of halves whose result is a number, or a pair of numbers for pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfSet {
    compare: HalfCompare,
    /// The number for true: one, or all bits set. False is 0.
    truth: u32,
}

/// A conversion of two singles to a pair of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfPair {
    format: Format,
    rounding: Rounding,
    relu: bool,
}

/// The rows of arithmetic instructions.
pub(crate) const FORMS: &[Form<Half>] = &[
    float("add[.rn][.ftz][.sat].{f16|f16x2}", "d = a + b", &[Narrow; 2], |m| half(m, Function::Add)),
    float("add[.rn].{bf16|bf16x2}", "d = a + b", &[Narrow; 2], |m| half(m, Function::Add)),
    float("sub[.rn][.ftz][.sat].{f16|f16x2}", "d = a - b", &[Narrow; 2], |m| half(m, Function::Subtract)),
    float("sub[.rn].{bf16|bf16x2}", "d = a - b", &[Narrow; 2], |m| half(m, Function::Subtract)),
    float("mul[.rn][.ftz][.sat].{f16|f16x2}", "d = a * b", &[Narrow; 2], |m| half(m, Function::Multiply)),
    float("mul[.rn].{bf16|bf16x2}", "d = a * b", &[Narrow; 2], |m| half(m, Function::Multiply)),
    float("fma.rn[.ftz][.sat|.relu].{f16|f16x2}", "d = a * b + c, rounded once", &[Narrow; 3], |m| {
        half(m, Function::Fused)
    }),
    float("fma.rn[.relu].{bf16|bf16x2}", "d = a * b + c, rounded once", &[Narrow; 3], |m| half(m, Function::Fused)),
    float("neg[.ftz].{f16|f16x2}", "d = -a", &[Narrow], |m| half(m, Function::Negate)),
    float("neg.{bf16|bf16x2}", "d = -a", &[Narrow], |m| half(m, Function::Negate)),
    float("abs[.ftz].{f16|f16x2}", "d = |a|", &[Narrow], |m| half(m, Function::Absolute)),
    float("abs.{bf16|bf16x2}", "d = |a|", &[Narrow], |m| half(m, Function::Absolute)),
    choice("min[.ftz][.NaN].{f16|f16x2}", "d = the smaller number; -0 < +0", |m| half(m, Function::Minimum)),
    choice("min[.NaN].{bf16|bf16x2}", "d = the smaller number; -0 < +0", |m| half(m, Function::Minimum)),
    choice("max[.ftz][.NaN].{f16|f16x2}", "d = the larger number; -0 < +0", |m| half(m, Function::Maximum)),
    choice("max[.NaN].{bf16|bf16x2}", "d = the larger number; -0 < +0", |m| half(m, Function::Maximum)),
];

/// The rows of comparisons whose result is a predicate.
pub(crate) const COMPARISONS: &[Form<HalfCompare>] = &[
    predicate("setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}[.ftz].{f16|f16x2}"),
    predicate("setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{bf16|bf16x2}"),
];

/// The rows of comparisons whose result is a number.
pub(crate) const SETS: &[Form<HalfSet>] = &[
    number("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}[.ftz].{f16|u16|s16|u32|s32}.f16"),
    numbers("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}[.ftz].{f16x2|u32|s32}.f16x2"),
    number("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{bf16|u16|s16|u32|s32}.bf16"),
    numbers("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{bf16x2|u32|s32}.bf16x2"),
];

/// The rows of conversions to pairs.
pub(crate) const PAIRS: &[Form<HalfPair>] = &[Form::row(
    "cvt.{rn|rz}[.relu].{f16x2|bf16x2}.f32",
    Class::Conversion,
    "d = pair of a (high) and b (low), rounded",
    &[Narrow],
    &[Narrow; 2],
    |m| HalfPair { format: Format::from(m.0[m.0.len() - 2]), rounding: Rounding::from(m), relu: m.has("relu") },
)];

const fn float(
    pattern: &'static str,
    equation: &'static str,
    sources: &'static [OperandKind],
    build: fn(&Modifiers<'_>) -> Half,
) -> Form<Half> {
    Form::row(pattern, Class::Float, equation, &[Narrow], sources, build)
}

const fn choice(pattern: &'static str, equation: &'static str, build: fn(&Modifiers<'_>) -> Half) -> Form<Half> {
    Form::row(pattern, Class::Comparison, equation, &[Narrow], &[Narrow; 2], build)
}

const fn predicate(pattern: &'static str) -> Form<HalfCompare> {
    let equation = "p = comparison of a with b; for pairs, p of the low halves and q of the high halves";
    Form::row(pattern, Class::Comparison, equation, &[Predicate], &[Narrow; 2], compare)
}

const fn number(pattern: &'static str) -> Form<HalfSet> {
    let equation = "d = 1, or all bits set for integers, if a compares with b; else 0";
    Form::row(pattern, Class::Comparison, equation, &[Narrow], &[Narrow; 2], set)
}

const fn numbers(pattern: &'static str) -> Form<HalfSet> {
    let equation = "each half of d = 1, or all bits set for integers, if that of a compares with that of b; else 0";
    Form::row(pattern, Class::Comparison, equation, &[Narrow], &[Narrow; 2], set)
}

fn half(modifiers: &Modifiers<'_>, function: Function) -> Half {
    Half {
        function,
        format: Format::from(modifiers.last()),
        packed: modifiers.last().ends_with("x2"),
        flush: modifiers.has("ftz"),
        saturate: modifiers.has("sat"),
        relu: modifiers.has("relu"),
        nan: modifiers.has("NaN"),
    }
}

fn set(modifiers: &Modifiers<'_>) -> HalfSet {
    let compare = compare(modifiers);
    let truth = match modifiers.0[modifiers.0.len() - 2] {
        "f16" | "f16x2" => u32::from(Format::F16.encode(1.0, Rounding::Nearest)),
        "bf16" | "bf16x2" => u32::from(Format::Bf16.encode(1.0, Rounding::Nearest)),
        "u32" | "s32" if !compare.packed => u32::MAX,
        _ => u32::from(u16::MAX),
    };
    HalfSet { compare, truth }
}

fn compare(modifiers: &Modifiers<'_>) -> HalfCompare {
    let holds = match modifiers.0[0] {
        "eq" => [false, true, false, false],
        "ne" => [true, false, true, false],
        "lt" => [true, false, false, false],
        "le" => [true, true, false, false],
        "gt" => [false, false, true, false],
        "ge" => [false, true, true, false],
        "equ" => [false, true, false, true],
        "neu" => [true, false, true, true],
        "ltu" => [true, false, false, true],
        "leu" => [true, true, false, true],
        "gtu" => [false, false, true, true],
        "geu" => [false, true, true, true],
        "num" => [true, true, true, false],
        _ => [false, false, false, true],
    };
    HalfCompare {
        format: Format::from(modifiers.last()),
        holds,
        flush: modifiers.has("ftz"),
        packed: modifiers.last().ends_with("x2"),
        high: false,
    }
}

impl Half {
    /// Returns the function of an atomic, whose last modifier is the type: a sum, or `min` or `max`.
    pub(crate) fn from_atomic(name: &str, modifiers: &Modifiers<'_>) -> Self {
        let function = match name {
            "min" => Function::Minimum,
            "max" => Function::Maximum,
            _ => Function::Add,
        };
        half(modifiers, function)
    }

    /// Returns the function that executes the instruction.
    pub(crate) fn handler(self) -> Handler {
        match self.function {
            Function::Negate | Function::Absolute => lanes1(move |a| self.apply(a, 0, 0)),
            Function::Fused => lanes3(move |a, b, c| self.apply(a, b, c)),
            _ => lanes2(move |a, b| self.apply(a, b, 0)),
        }
    }

    /// Computes the bits of a result, or of a pair of results, from those of the operands.
    pub(crate) fn apply(self, a: u32, b: u32, c: u32) -> u32 {
        let low = u32::from(self.apply_one(a as u16, b as u16, c as u16));
        if !self.packed {
            return low;
        }
        u32::from(self.apply_one((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16 | low
    }

    fn apply_one(self, a: u16, b: u16, c: u16) -> u16 {
        let flush = |bits| if self.flush { self.format.flush(bits) } else { bits };
        let [a, b, c] = [a, b, c].map(flush);
        let [x, y, z] = [a, b, c].map(|bits| self.format.decode(bits));
        let exact = match self.function {
            Function::Negate => return a ^ 0x8000,
            Function::Absolute => return a & 0x7FFF,
            Function::Minimum => return self.choose(a, b, self.below(a, b)),
            Function::Maximum => return self.choose(a, b, self.below(b, a)),
            Function::Add => sum_to_odd(x, y),
            Function::Subtract => sum_to_odd(x, -y),
            // The product of two halves is exact.
            Function::Multiply => x * y,
            Function::Fused => sum_to_odd(x * y, z),
        };
        let value = if self.saturate { saturate(exact) } else { exact };
        let value = if self.relu && value <= 0.0 { 0.0 } else { value };
        flush(self.format.encode(value, Rounding::Nearest))
    }

    /// Returns whether `a` is less than `b`, where -0 is less than +0.
    fn below(self, a: u16, b: u16) -> bool {
        let x = self.format.decode(a);
        let y = self.format.decode(b);
        x < y || (x == y && a & 0x8000 > b & 0x8000)
    }

    fn choose(self, a: u16, b: u16, first: bool) -> u16 {
        match (self.format.is_nan(a), self.format.is_nan(b)) {
            (true, true) => NAN,
            (true, false) | (false, true) if self.nan => NAN,
            (true, false) => b,
            (false, true) => a,
            _ if first => a,
            _ => b,
        }
    }
}

impl HalfPair {
    pub(super) fn apply(self, a: f32, b: f32) -> u32 {
        self.encode(a) << 16 | self.encode(b)
    }

    fn encode(self, value: f32) -> u32 {
        let value = if self.relu && value <= 0.0 { 0.0 } else { value };
        u32::from(self.format.encode(value.into(), self.rounding))
    }
}

impl HalfSet {
    pub(super) fn apply(self, a: u32, b: u32) -> u32 {
        let value = |compare: HalfCompare| if compare.apply(a, b) { self.truth } else { 0 };
        self.compare.high_halves().map_or(0, |high| value(high) << 16) | value(self.compare)
    }
}

impl HalfCompare {
    /// Returns the comparison of the high halves, if the operands are pairs.
    pub(crate) fn high_halves(self) -> Option<Self> {
        self.packed.then_some(Self { high: true, ..self })
    }

    pub(super) fn apply(self, a: u32, b: u32) -> bool {
        let number = |word: u32| {
            let bits = if self.high { word >> 16 } else { word } as u16;
            self.format.decode(if self.flush { self.format.flush(bits) } else { bits })
        };
        self.holds[number(a).partial_cmp(&number(b)).map_or(3, |order| (order as i8 + 1) as usize)]
    }
}
