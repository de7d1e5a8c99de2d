//! Exact sums and products of doubles, which are rounded once, in any mode.

use super::direction::Rounding;

/// The highest set bit of a normalized mantissa. It leaves room for a carry above, and for a product of two doubles below.
const TOP: u32 = 125;

/// A finite number `±mantissa * 2^exponent`. The lowest bit of the mantissa is sticky: it is also set if lower bits were
/// dropped, which is all that rounding depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Exact {
    /// Returns the value of a finite double.
    pub(crate) fn from(value: f64) -> Self {
        let bits = value.to_bits();
        let field = (bits >> 52 & 0x7FF) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        Self { negative: value.is_sign_negative(), mantissa, exponent }
    }

    /// Returns the product of two doubles.
    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    /// Returns the sum of two values, each a double or a product of two doubles.
    pub(crate) fn plus(self, other: Self) -> Self {
        if self.mantissa == 0 || other.mantissa == 0 {
            return if self.mantissa == 0 { other } else { self };
        }
        let a = self.normalize();
        let b = other.normalize();
        let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        // Bits are dropped only if the exponents are far apart, so a difference cannot cancel down to them.
        let small = shift_right(low.mantissa, (high.exponent - low.exponent) as u32);
        if high.negative == low.negative {
            return Self { mantissa: high.mantissa + small, ..high };
        }
        let negative = if small > high.mantissa { low.negative } else { high.negative };
        Self { negative, mantissa: high.mantissa.abs_diff(small), ..high }
    }

    /// Returns whether the value is zero. The sign of a zero is meaningless.
    pub(crate) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// Rounds the value to a double.
    pub(crate) fn round(self, rounding: Rounding) -> f64 {
        let Self { negative, mantissa, exponent } = self.normalize();
        // The exponent of the last bit of the result, which has 53 bits, or fewer if it is subnormal.
        let unit = (exponent + TOP as i32 - 52).max(-1074);
        let quarters = shift_right(mantissa, (unit - exponent) as u32 - 2);
        let kept = (quarters >> 2) as u64;
        let rest = quarters & 3;
        let up = match rounding {
            Rounding::Nearest => rest > 2 || (rest == 2 && kept & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
        };
        // A carry out of the mantissa correctly increments the exponent.
        let bits = (((unit + 1074) as u64) << 52) + kept + u64::from(up);
        let magnitude =
            if bits < f64::INFINITY.to_bits() { f64::from_bits(bits) } else { overflow(rounding, negative) };
        if negative { -magnitude } else { magnitude }
    }

    fn normalize(self) -> Self {
        if self.mantissa == 0 {
            return self;
        }
        let shift = self.mantissa.leading_zeros() as i32 - (127 - TOP as i32);
        let mantissa = if shift < 0 { shift_right(self.mantissa, -shift as u32) } else { self.mantissa << shift };
        Self { mantissa, exponent: self.exponent - shift, ..self }
    }
}

/// Returns the magnitude of a result that overflows.
fn overflow(rounding: Rounding, negative: bool) -> f64 {
    match rounding {
        Rounding::Nearest => f64::INFINITY,
        Rounding::Down if negative => f64::INFINITY,
        Rounding::Up if !negative => f64::INFINITY,
        _ => f64::MAX,
    }
}

/// Returns `mantissa >> count`, with the lowest bit set if any dropped bit was set.
fn shift_right(mantissa: u128, count: u32) -> u128 {
    if count > 127 {
        return u128::from(mantissa != 0);
    }
    let shifted = mantissa >> count;
    shifted | u128::from(shifted << count != mantissa)
}
