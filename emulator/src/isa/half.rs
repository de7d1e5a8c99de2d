//! Numbers of 16 bits, alone and in pairs: `f16` with 11 significant bits, `bf16` with 8 and the range of f32.
//!
//! A result is computed in double precision and rounded once: sums are rounded to odd there where they are not exact.

use super::rounding::{Rounding, saturate, sum_to_odd};
use super::{Arithmetic, Form, Modifiers, Operation};
use crate::lower::step::{Action, Step};
use crate::vector::apply::{apply1, apply2, apply3};
use crate::vector::registers::OperandKind;
use crate::vector::registers::{Lanes, Registers};
use crate::vector::simd::Simd;

/// How the bits of a half are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    F16,
    Bf16,
}

/// The NaN of the PTX manual, in both formats.
const NAN: u16 = 0x7FFF;

impl Format {
    fn from(name: &str) -> Self {
        if name.starts_with("bf16") { Self::Bf16 } else { Self::F16 }
    }

    /// Bits of the fraction, exponent of the least normal number, bits of infinity.
    const fn layout(self) -> (i32, i32, u16) {
        match self {
            Self::F16 => (10, -14, 0x7C00),
            Self::Bf16 => (7, -126, 0x7F80),
        }
    }

    /// The number of these bits.
    pub(crate) fn decode(self, bits: u16) -> f64 {
        if self == Self::Bf16 {
            return f64::from(f32::from_bits(u32::from(bits) << 16));
        }
        let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
        let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
        sign * match exponent {
            0 => fraction * 2_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
        }
    }

    /// The bits of `value`, rounded.
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
        // Whole numbers of units; a carry into the next exponent is what the encoding wants.
        let units = rounding.to_integral(value / unit).abs();
        let coded = f64::from((exponent - least) << fraction_bits) + units;
        let beyond = rounding == Rounding::Nearest || rounding.to_integral(value.signum() * 0.5) != 0.0;
        let overflow = if beyond { infinity } else { infinity - 1 };
        sign | if coded >= f64::from(infinity) { overflow } else { coded as u16 }
    }

    /// `bits`, or zero of their sign where they are subnormal.
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
    MultiplyAdd,
    Negate,
    Absolute,
    Minimum,
    Maximum,
}

/// Arithmetic of halves, with everything that its modifiers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    function: Function,
    format: Format,
    packed: bool,
    flush: bool,
    saturate: bool,
    /// Negative results and NaNs: zero, and the NaN of the manual.
    relu: bool,
    /// A minimum or maximum is a NaN if either operand is.
    nan: bool,
}

/// A comparison of halves; of pairs it takes the low or the high ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfCompare {
    format: Format,
    /// What holds if the first is less, equal, greater, or one is a NaN.
    holds: [bool; 4],
    flush: bool,
    packed: bool,
    high: bool,
}

/// Two singles to a pair of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HalfPair {
    format: Format,
    rounding: Rounding,
    relu: bool,
}

const KINDS1: [OperandKind; 2] = [OperandKind::Narrow; 2];
const KINDS2: [OperandKind; 3] = [OperandKind::Narrow; 3];
const KINDS3: [OperandKind; 4] = [OperandKind::Narrow; 4];
const COMPARED: [OperandKind; 3] = [OperandKind::Predicate, OperandKind::Narrow, OperandKind::Narrow];

/// Rows of the table.
pub(crate) const FORMS: &[Form] = &[
    Form::row("add[.rn][.ftz][.sat].{f16|f16x2}", "d = a + b", &KINDS2, |m| half(m, Function::Add)),
    Form::row("add[.rn].{bf16|bf16x2}", "d = a + b", &KINDS2, |m| half(m, Function::Add)),
    Form::row("sub[.rn][.ftz][.sat].{f16|f16x2}", "d = a - b", &KINDS2, |m| half(m, Function::Subtract)),
    Form::row("sub[.rn].{bf16|bf16x2}", "d = a - b", &KINDS2, |m| half(m, Function::Subtract)),
    Form::row("mul[.rn][.ftz][.sat].{f16|f16x2}", "d = a * b", &KINDS2, |m| half(m, Function::Multiply)),
    Form::row("mul[.rn].{bf16|bf16x2}", "d = a * b", &KINDS2, |m| half(m, Function::Multiply)),
    Form::row("fma.rn[.ftz][.sat|.relu].{f16|f16x2}", "d = a * b + c, rounded once", &KINDS3, |m| {
        half(m, Function::MultiplyAdd)
    }),
    Form::row("fma.rn[.relu].{bf16|bf16x2}", "d = a * b + c, rounded once", &KINDS3, |m| {
        half(m, Function::MultiplyAdd)
    }),
    Form::row("neg[.ftz].{f16|f16x2}", "d = -a", &KINDS1, |m| half(m, Function::Negate)),
    Form::row("neg.{bf16|bf16x2}", "d = -a", &KINDS1, |m| half(m, Function::Negate)),
    Form::row("abs[.ftz].{f16|f16x2}", "d = |a|", &KINDS1, |m| half(m, Function::Absolute)),
    Form::row("abs.{bf16|bf16x2}", "d = |a|", &KINDS1, |m| half(m, Function::Absolute)),
    Form::row("min[.ftz][.NaN].{f16|f16x2}", "d = the smaller number; -0 < +0", &KINDS2, |m| {
        half(m, Function::Minimum)
    }),
    Form::row("min[.NaN].{bf16|bf16x2}", "d = the smaller number; -0 < +0", &KINDS2, |m| half(m, Function::Minimum)),
    Form::row("max[.ftz][.NaN].{f16|f16x2}", "d = the larger number; -0 < +0", &KINDS2, |m| half(m, Function::Maximum)),
    Form::row("max[.NaN].{bf16|bf16x2}", "d = the larger number; -0 < +0", &KINDS2, |m| half(m, Function::Maximum)),
    Form::row(
        "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}[.ftz].{f16|f16x2}",
        "p = a compared with b; of pairs the low ones, q the high ones",
        &COMPARED,
        compare,
    ),
    Form::row(
        "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.{bf16|bf16x2}",
        "p = a compared with b; of pairs the low ones, q the high ones",
        &COMPARED,
        compare,
    ),
    Form::row("cvt.{rn|rz}[.relu].{f16x2|bf16x2}.f32", "d = a above b, rounded", &KINDS2, |m| {
        Operation::Arithmetic(Arithmetic::HalfPair(HalfPair {
            format: Format::from(m.0[m.0.len() - 2]),
            rounding: Rounding::from(m),
            relu: m.has("relu"),
        }))
    }),
];

fn half(modifiers: &Modifiers<'_>, function: Function) -> Operation {
    Operation::Arithmetic(Arithmetic::Half(Half {
        function,
        format: Format::from(modifiers.last()),
        packed: modifiers.last().ends_with("x2"),
        flush: modifiers.has("ftz"),
        saturate: modifiers.has("sat"),
        relu: modifiers.has("relu"),
        nan: modifiers.has("NaN"),
    }))
}

fn compare(modifiers: &Modifiers<'_>) -> Operation {
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
    Operation::Arithmetic(Arithmetic::HalfCompare(HalfCompare {
        format: Format::from(modifiers.last()),
        holds,
        flush: modifiers.has("ftz"),
        packed: modifiers.last().ends_with("x2"),
        high: false,
    }))
}

/// Executes arithmetic of halves.
pub(crate) fn execute(_: Simd, step: &Step, registers: &mut Registers, lanes: &Lanes) {
    let Action::Arithmetic(Arithmetic::Half(half)) = step.action else { return };
    let places = &step.places;
    match half.function {
        Function::Negate | Function::Absolute => apply1(registers, lanes, places, |a: u32| half.of_all(a, 0, 0)),
        Function::MultiplyAdd => apply3(registers, lanes, places, |a: u32, b: u32, c: u32| half.of_all(a, b, c)),
        _ => apply2(registers, lanes, places, |a: u32, b: u32| half.of_all(a, b, 0)),
    }
}

/// Executes a comparison of halves.
pub(crate) fn execute_compare(_: Simd, step: &Step, registers: &mut Registers, lanes: &Lanes) {
    let Action::Arithmetic(Arithmetic::HalfCompare(compare)) = step.action else { return };
    apply2(registers, lanes, &step.places, |a: u32, b: u32| compare.of(a, b));
}

/// Executes a conversion to a pair.
pub(crate) fn execute_pair(_: Simd, step: &Step, registers: &mut Registers, lanes: &Lanes) {
    let Action::Arithmetic(Arithmetic::HalfPair(pair)) = step.action else { return };
    let encode = |value: f32| {
        let value = if pair.relu && value <= 0.0 { 0.0 } else { value };
        u32::from(pair.format.encode(value.into(), pair.rounding))
    };
    apply2(registers, lanes, &step.places, |a: f32, b: f32| encode(a) << 16 | encode(b));
}

impl Half {
    fn of_all(self, a: u32, b: u32, c: u32) -> u32 {
        let low = u32::from(self.of(a as u16, b as u16, c as u16));
        if !self.packed {
            return low;
        }
        u32::from(self.of((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16)) << 16 | low
    }

    fn of(self, a: u16, b: u16, c: u16) -> u16 {
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
            Function::MultiplyAdd => sum_to_odd(x * y, z),
        };
        let value = if self.saturate { saturate(exact) } else { exact };
        let value = if self.relu && value <= 0.0 { 0.0 } else { value };
        flush(self.format.encode(value, Rounding::Nearest))
    }

    /// Whether a number is less than another; -0 is less than +0.
    fn below(self, a: u16, b: u16) -> bool {
        let (x, y) = (self.format.decode(a), self.format.decode(b));
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

impl HalfCompare {
    /// Of a comparison of pairs, that of their high halves.
    pub(crate) fn of_high_halves(self) -> Option<Self> {
        self.packed.then_some(Self { high: true, ..self })
    }

    fn of(self, a: u32, b: u32) -> bool {
        let number = |word: u32| {
            let bits = if self.high { word >> 16 } else { word } as u16;
            self.format.decode(if self.flush { self.format.flush(bits) } else { bits })
        };
        self.holds[number(a).partial_cmp(&number(b)).map_or(3, |order| (order as i8 + 1) as usize)]
    }
}
