//! Sums and products of doubles without error, to be rounded once in any direction.

use super::direction::Rounding;

/// Highest set bit of a normalized mantissa: room for a carry above, and for a product of two doubles below.
const TOP: u32 = 125;

/// A finite number `±mantissa * 2^exponent`. The lowest bit of the mantissa is also set where something
/// smaller was left out, which is all that a rounding wants to know of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Exact {
    /// The value of a finite double.
    pub(crate) fn from(value: f64) -> Self {
        let bits = value.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7FF) as i32, u128::from(bits & ((1 << 52) - 1)));
        let (mantissa, exponent) = if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        Self { negative: value.is_sign_negative(), mantissa, exponent }
    }

    /// The product of two doubles.
    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum of doubles or products of two of them.
    pub(crate) fn plus(self, other: Self) -> Self {
        if self.mantissa == 0 || other.mantissa == 0 {
            return if self.mantissa == 0 { other } else { self };
        }
        let (a, b) = (self.normalized(), other.normalized());
        let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        // Bits are lost only where the exponents are far apart; then the difference stays large, too.
        let small = shift_right(low.mantissa, (high.exponent - low.exponent) as u32);
        if high.negative == low.negative {
            return Self { mantissa: high.mantissa + small, ..high };
        }
        let negative = if small > high.mantissa { low.negative } else { high.negative };
        Self { negative, mantissa: high.mantissa.abs_diff(small), ..high }
    }

    /// Whether the value is zero; its sign then says nothing.
    pub(crate) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The double that `rounding` asks for.
    pub(crate) fn round(self, rounding: Rounding) -> f64 {
        let Self { negative, mantissa, exponent } = self.normalized();
        // Place value of the last bit of the result: 53 bits, fewer for a subnormal.
        let unit = (exponent + TOP as i32 - 52).max(-1074);
        let quarters = shift_right(mantissa, (unit - exponent) as u32 - 2);
        let (kept, rest) = ((quarters >> 2) as u64, quarters & 3);
        let up = match rounding {
            Rounding::Nearest => rest > 2 || (rest == 2 && kept & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
        };
        // A carry out of the mantissa goes into the exponent, as the encoding wants.
        let bits = (((unit + 1074) as u64) << 52) + kept + u64::from(up);
        let magnitude =
            if bits < f64::INFINITY.to_bits() { f64::from_bits(bits) } else { overflow(rounding, negative) };
        if negative { -magnitude } else { magnitude }
    }

    fn normalized(self) -> Self {
        if self.mantissa == 0 {
            return self;
        }
        let shift = self.mantissa.leading_zeros() as i32 - (127 - TOP as i32);
        let mantissa = if shift < 0 { shift_right(self.mantissa, -shift as u32) } else { self.mantissa << shift };
        Self { mantissa, exponent: self.exponent - shift, ..self }
    }
}

/// What a number beyond the largest becomes, its sign aside.
fn overflow(rounding: Rounding, negative: bool) -> f64 {
    match rounding {
        Rounding::Nearest => f64::INFINITY,
        Rounding::Down if negative => f64::INFINITY,
        Rounding::Up if !negative => f64::INFINITY,
        _ => f64::MAX,
    }
}

/// `mantissa >> count`; the lowest bit of the result stands for the bits that fall out.
fn shift_right(mantissa: u128, count: u32) -> u128 {
    if count > 127 {
        return u128::from(mantissa != 0);
    }
    let shifted = mantissa >> count;
    shifted | u128::from(shifted << count != mantissa)
}
