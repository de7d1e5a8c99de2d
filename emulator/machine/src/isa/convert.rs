//! Conversions between types. Frequent ones have separate rows. [`Conversion`] implements all others.

use super::class::Class;
use super::direction::Rounding;
use super::family::instruction_family;
use super::float::flush;
use super::form::{Form, Modifiers};
use super::half::Format;
use super::rounding::{round_to_single, saturate};
use crate::vector::apply::{Handler, lanes1};
use crate::vector::registers::OperandKind::{self, Narrow, Wide};

instruction_family! {
    /// Frequent conversions.
    Convert {
        Widen "cvt.{u64|s64}.u32" Conversion, "d = a", (a: u32) -> u64 { u64::from(a) }
        WidenSigned "cvt.{u64|s64}.s32" Conversion, "d = a, sign-extended", (a: i32) -> i64 { i64::from(a) }
        Narrow "cvt.{u32|s32}.{u64|s64}" Conversion, "d = low half of a", (a: u64) -> u32 { a as u32 }
        Same "cvt.{u32|s32}.{u32|s32}" Conversion, "d = a", (a: u32) -> u32 { a }
        Widen16 "cvt.{u32|s32}.u16" Conversion, "d = a", (a: u16) -> u32 { u32::from(a) }
        WidenSigned16 "cvt.{u32|s32}.s16" Conversion, "d = a, sign-extended", (a: i16) -> i32 { i32::from(a) }
        Narrow16 "cvt.{u16|s16}.{u32|s32}" Conversion, "d = low half of a", (a: u32) -> u16 { a as u16 }
        Narrow64To16 "cvt.{u16|s16}.{u64|s64}" Conversion, "d = low 16 bits of a", (a: u64) -> u16 { a as u16 }
        Widen16To64 "cvt.{u64|s64}.u16" Conversion, "d = a", (a: u16) -> u64 { u64::from(a) }
        FloatFromSigned "cvt.rn.f32.s32" Conversion, "d = a", (a: i32) -> f32 { a as f32 }
        FloatFromUnsigned "cvt.rn.f32.u32" Conversion, "d = a", (a: u32) -> f32 { a as f32 }
        DoubleFromSigned "cvt.rn.f64.s32" Conversion, "d = a", (a: i32) -> f64 { f64::from(a) }
        DoubleFromUnsigned "cvt.rn.f64.u32" Conversion, "d = a", (a: u32) -> f64 { f64::from(a) }
        DoubleFromFloat "cvt.f64.f32" Conversion, "d = a", (a: f32) -> f64 { f64::from(a) }
        FloatFromDouble "cvt.rn.f32.f64" Conversion, "d = a, rounded to nearest", (a: f64) -> f32 { a as f32 }
        SignedFromFloat "cvt.rzi.s32.f32" Conversion, "d = a, rounded toward zero and clamped; 0 for a NaN", (a: f32) -> i32 { a as i32 }
        UnsignedFromFloat "cvt.rzi.u32.f32" Conversion, "d = a, rounded toward zero and clamped; 0 for a NaN", (a: f32) -> u32 { a as u32 }
        Truncate "cvt.rzi.f32.f32" Conversion, "d = a, rounded to an integer toward zero", (a: f32) -> f32 { a.trunc() }
        Floor "cvt.rmi.f32.f32" Conversion, "d = a, rounded down to an integer", (a: f32) -> f32 { a.floor() }
        Ceil "cvt.rpi.f32.f32" Conversion, "d = a, rounded up to an integer", (a: f32) -> f32 { a.ceil() }
        Tf32Away "cvt.rna.tf32.f32" Conversion each, "d = a with 11 significant bits, ties away from zero", (a: f32) -> f32 { to_tf32(a, |bits| bits + 0x1000) }
        Tf32Nearest "cvt.rn.tf32.f32" Conversion each, "d = a with 11 significant bits, ties to even", (a: f32) -> f32 { to_tf32(a, nearest) }
        Tf32Zero "cvt.rz.tf32.f32" Conversion each, "d = a with 11 significant bits, rounded toward zero", (a: f32) -> f32 { to_tf32(a, |bits| bits) }
        Tf32NearestRelu "cvt.rn.relu.tf32.f32" Conversion each, "d = a with 11 significant bits, 0 for negative numbers", (a: f32) -> f32 { to_tf32(relu(a), nearest) }
        Tf32ZeroRelu "cvt.rz.relu.tf32.f32" Conversion each, "d = a with 11 significant bits, rounded toward zero, 0 for negative numbers", (a: f32) -> f32 { to_tf32(relu(a), |bits| bits) }
        Round "cvt.rni.f32.f32" Conversion, "d = a, rounded to the nearest integer, ties to even", (a: f32) -> f32 { a.round_ties_even() }
    }
}

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// An integer: the width in bits, and whether it is signed.
    Integer(u32, bool),
    Half(Format),
    /// A floating-point number of 32 or 64 bits.
    Float(u32),
}

impl Number {
    fn from(name: &str) -> Self {
        match name {
            "f16" => return Self::Half(Format::F16),
            "bf16" => return Self::Half(Format::Bf16),
            _ => {}
        }
        let (kind, digits) = name.split_at(1);
        let bits = digits.parse().unwrap_or(32);
        if kind == "f" { Self::Float(bits) } else { Self::Integer(bits, kind == "s") }
    }

    fn bits(self) -> u32 {
        match self {
            Self::Integer(bits, _) | Self::Float(bits) => bits,
            Self::Half(_) => 16,
        }
    }
}

/// An intermediate value of a conversion. It represents every value of every source type exactly.
#[derive(Clone, Copy, Debug)]
enum Value {
    Integer(i128),
    Float(f64),
}

/// A conversion between any two types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    to: Number,
    from: Number,
    rounding: Rounding,
    /// Whether a floating-point value is rounded to an integer.
    integral: bool,
    flush: bool,
    saturate: bool,
}

/// The rows of all other conversions, by the register files of the result and the source.
pub(crate) const FORMS: &[Form<Conversion>] = &[
    row(
        "cvt[.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi][.ftz][.sat].{u8|s8|u16|s16|u32|s32|f16|bf16|f32}.{u8|s8|u16|s16|u32|s32|f16|bf16|f32}",
        &[Narrow],
        &[Narrow],
    ),
    row(
        "cvt[.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi][.ftz][.sat].{u8|s8|u16|s16|u32|s32|f16|bf16|f32}.{u64|s64|f64}",
        &[Narrow],
        &[Wide],
    ),
    row(
        "cvt[.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi][.ftz][.sat].{u64|s64|f64}.{u8|s8|u16|s16|u32|s32|f16|bf16|f32}",
        &[Wide],
        &[Narrow],
    ),
    row("cvt[.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi][.sat].{u64|s64|f64}.{u64|s64|f64}", &[Wide], &[Wide]),
];

const fn row(
    pattern: &'static str,
    results: &'static [OperandKind],
    sources: &'static [OperandKind],
) -> Form<Conversion> {
    Form::row(
        pattern,
        Class::Conversion,
        "d = a, rounded and clamped according to the modifiers",
        results,
        sources,
        conversion,
    )
}

fn conversion(modifiers: &Modifiers<'_>) -> Conversion {
    let types = modifiers.0.len() - 2;
    Conversion {
        to: Number::from(modifiers.0[types]),
        from: Number::from(modifiers.0[types + 1]),
        rounding: Rounding::from(modifiers),
        integral: ["rni", "rzi", "rmi", "rpi"].iter().any(|name| modifiers.has(name)),
        flush: modifiers.has("ftz"),
        saturate: modifiers.has("sat"),
    }
}

impl Conversion {
    /// Returns the function that executes the conversion.
    pub(crate) fn handler(self) -> Handler {
        // The cast keeps all bits of a narrow result, which has none beyond its type.
        match (self.to.bits() == 64, self.from.bits() == 64) {
            (false, false) => lanes1(move |a: u32| self.convert(a.into()) as u32),
            (false, true) => lanes1(move |a: u64| self.convert(a) as u32),
            (true, false) => lanes1(move |a: u32| self.convert(a.into())),
            (true, true) => lanes1(move |a: u64| self.convert(a)),
        }
    }

    fn convert(self, bits: u64) -> u64 {
        let value = self.decode(bits);
        match (self.to, value) {
            (Number::Integer(width, signed), Value::Integer(value)) => {
                self.integer(if self.saturate { clamp(value, width, signed) } else { value }, width, signed)
            }
            (Number::Integer(width, signed), Value::Float(value)) => {
                let whole = if value.is_nan() {
                    self.integer_for_nan(width)
                } else {
                    clamp(self.rounding.to_integral(value) as i128, width, signed)
                };
                self.integer(whole, width, signed)
            }
            (_, Value::Integer(value)) => self.float_from_integer(value),
            (_, Value::Float(value)) => self.float_from_float(value),
        }
    }

    fn decode(self, bits: u64) -> Value {
        match self.from {
            Number::Integer(width, signed) => {
                let unused = 64 - width;
                let value = bits << unused;
                Value::Integer(if signed { i128::from(value as i64 >> unused) } else { i128::from(value >> unused) })
            }
            Number::Half(format) => Value::Float(format.decode(bits as u16)),
            Number::Float(32) => {
                let value = f32::from_bits(bits as u32);
                Value::Float(f64::from(if self.flush { flush(value) } else { value }))
            }
            Number::Float(_) => Value::Float(f64::from_bits(bits)),
        }
    }

    /// Returns the result for a NaN: zero, or only the top bit if one of the types has 64 bits.
    fn integer_for_nan(self, width: u32) -> i128 {
        if width == 64 || self.from.bits() == 64 { 1 << (width - 1) } else { 0 }
    }

    /// Returns the low bits of the value. A type that is narrower than its register is sign-extended.
    fn integer(self, value: i128, width: u32, signed: bool) -> u64 {
        let unused = 64 - width;
        let bits = (value as u64) << unused;
        let extended = if signed { (bits as i64 >> unused) as u64 } else { bits >> unused };
        if width == 64 { extended } else { extended & 0xFFFF_FFFF }
    }

    fn float_from_integer(self, value: i128) -> u64 {
        // A double cannot represent 64 bits, but the sum of two doubles can.
        let high = (value >> 32 << 32) as f64;
        let low = (value & 0xFFFF_FFFF) as f64;
        let sum = high + low;
        let error = low - (sum - high);
        if self.to == Number::Float(64) {
            return step(sum, error, self.rounding).to_bits();
        }
        self.encode_float(sum, error)
    }

    fn float_from_float(self, value: f64) -> u64 {
        let value = if self.integral { self.rounding.to_integral(value) } else { value };
        if self.to == Number::Float(64) {
            return if self.saturate { saturate(value) } else { value }.to_bits();
        }
        self.encode_float(value, 0.0)
    }

    fn encode_float(self, value: f64, error: f64) -> u64 {
        let (value, error) = if self.saturate { (saturate(value), 0.0) } else { (value, error) };
        if let Number::Half(format) = self.to {
            return u64::from(format.encode(value, self.rounding));
        }
        let single = round_to_single(value, error, self.rounding);
        u64::from(if self.flush { flush(single) } else { single }.to_bits())
    }
}

/// Clamps `value` to the range of an integer type.
fn clamp(value: i128, width: u32, signed: bool) -> i128 {
    let (low, high) = if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
    value.clamp(low, high)
}

/// Rounds an exact value to a double, given the nearest double and its error.
fn step(nearest: f64, error: f64, rounding: Rounding) -> f64 {
    let towards_zero = (error < 0.0) == (nearest > 0.0);
    match rounding {
        Rounding::Down if error < 0.0 => nearest.next_down(),
        Rounding::Up if error > 0.0 => nearest.next_up(),
        Rounding::Zero if error != 0.0 && towards_zero && nearest > 0.0 => nearest.next_down(),
        Rounding::Zero if error != 0.0 && towards_zero => nearest.next_up(),
        _ => nearest,
    }
}

/// Clears the low 13 bits of a single after `carry` has rounded its bits.
#[inline(always)]
pub(super) fn to_tf32(value: f32, carry: impl Fn(u32) -> u32) -> f32 {
    let bits = value.to_bits();
    match value.is_nan() {
        true => f32::from_bits(0x7FFF_FFFF),
        // The carry turns the largest numbers into infinity, and never reaches the sign.
        false if value.is_finite() => f32::from_bits(carry(bits) & !0x1FFF),
        false => value,
    }
}

/// Adds the carry of rounding to nearest, ties to even.
#[inline(always)]
pub(super) fn nearest(bits: u32) -> u32 {
    bits + 0xFFF + (bits >> 13 & 1)
}

/// Returns `value`, or zero if it is negative.
#[inline(always)]
pub(super) fn relu(value: f32) -> f32 {
    if value <= 0.0 { 0.0 } else { value }
}
