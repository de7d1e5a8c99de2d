//! Pairs of 8-bit floating-point numbers: `e4m3`, which has no infinities, and `e5m2`. Only conversions are supported.

use super::class::Class;
use super::direction::Rounding;
use super::form::{Form, Modifiers};
use super::half::Format as HalfFormat;
use crate::vector::registers::OperandKind::Narrow;

/// An 8-bit format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    E4m3,
    E5m2,
}

/// The canonical NaN in both formats.
const NAN: u8 = 0x7F;

/// The other side of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    /// From two singles.
    Singles,
    /// From a pair of `f16`.
    Halves,
    /// To a pair of `f16`.
    ToHalves,
}

/// A conversion of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EighthPair {
    format: Format,
    other: Other,
    /// Whether negative numbers become zero.
    relu: bool,
}

/// The rows of the table.
pub(crate) const FORMS: &[Form<EighthPair>] = &[
    Form::row(
        "cvt.rn.satfinite[.relu].{e4m3x2|e5m2x2}.f32",
        Class::Conversion,
        "d = pair of a (high) and b (low), rounded and clamped to finite numbers",
        &[Narrow],
        &[Narrow; 2],
        |m| pair(m, 2, Other::Singles),
    ),
    Form::row(
        "cvt.rn.satfinite[.relu].{e4m3x2|e5m2x2}.f16x2",
        Class::Conversion,
        "d = pair of the halves of a, rounded and clamped to finite numbers",
        &[Narrow],
        &[Narrow],
        |m| pair(m, 2, Other::Halves),
    ),
    Form::row(
        "cvt.rn[.relu].f16x2.{e4m3x2|e5m2x2}",
        Class::Conversion,
        "d = pair of the numbers of a",
        &[Narrow],
        &[Narrow],
        |m| pair(m, 1, Other::ToHalves),
    ),
];

fn pair(modifiers: &Modifiers<'_>, from_end: usize, other: Other) -> EighthPair {
    let is_e4m3 = modifiers.0[modifiers.0.len() - from_end] == "e4m3x2";
    EighthPair { format: if is_e4m3 { Format::E4m3 } else { Format::E5m2 }, other, relu: modifiers.has("relu") }
}

impl Format {
    /// Returns the number of fraction bits, the exponent of the smallest normal number, and the bits of the largest number.
    const fn layout(self) -> (i32, i32, u8) {
        match self {
            Self::E4m3 => (3, -6, 0x7E),
            Self::E5m2 => (2, -14, 0x7B),
        }
    }

    fn decode(self, bits: u8) -> f64 {
        let (fraction_bits, least, largest) = self.layout();
        let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
        let magnitude = bits & 0x7F;
        if magnitude > largest {
            return if self == Self::E5m2 && magnitude == largest + 1 { sign * f64::INFINITY } else { f64::NAN };
        }
        let exponent = i32::from(magnitude) >> fraction_bits;
        let fraction = i32::from(magnitude) & ((1 << fraction_bits) - 1);
        let digits = if exponent == 0 { fraction } else { fraction + (1 << fraction_bits) };
        sign * f64::from(digits) * f64::from(least + (exponent - 1).max(0) - fraction_bits).exp2()
    }

    /// Rounds `value` to nearest, with ties to even, and returns its bits. What is too large becomes the largest number.
    fn encode(self, value: f64) -> u8 {
        let (fraction_bits, least, largest) = self.layout();
        if value.is_nan() {
            return NAN;
        }
        let magnitude = value.abs().min(65536.0);
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
        let units = (magnitude / f64::from(exponent - fraction_bits).exp2()).round_ties_even();
        // A carry out of the fraction correctly increments the exponent.
        let coded = f64::from((exponent - least) << fraction_bits) + units;
        u8::from(value.is_sign_negative()) << 7 | coded.min(largest.into()) as u8
    }
}

impl EighthPair {
    /// Computes the result. Without a second source, `b` is any value.
    pub(super) fn apply(self, a: u32, b: u32) -> u32 {
        let half = |bits: u32| HalfFormat::F16.decode(bits as u16);
        let single = |bits: u32| f64::from(f32::from_bits(bits));
        let eighth = |value: f64| u32::from(self.format.encode(self.clamped(value)));
        match self.other {
            Other::Singles => eighth(single(a)) << 8 | eighth(single(b)),
            Other::Halves => eighth(half(a >> 16)) << 8 | eighth(half(a)),
            Other::ToHalves => {
                let [low, high] = [a as u8, (a >> 8) as u8].map(|bits| self.clamped(self.format.decode(bits)));
                let half = |value: f64| u32::from(HalfFormat::F16.encode(value, Rounding::Nearest));
                half(high) << 16 | half(low)
            }
        }
    }

    fn clamped(self, value: f64) -> f64 {
        if self.relu && value <= 0.0 { 0.0 } else { value }
    }
}
