//! Floats of 16 and 8 bits: conversion to f32, which is exact, and from f32, which rounds.

/// The layout of a format's bits: a sign, an exponent and a fraction.
#[derive(Clone, Copy)]
pub struct Layout {
    exponent_bits: u32,
    fraction_bits: u32,
    /// Whether the largest exponent represents infinity and NaN. Otherwise only the largest magnitude is NaN, and there is no
    /// infinity, as in `e4m3` of the OCP 8-bit floating point specification.
    infinite: bool,
}

/// A format as a type.
pub trait Format: Copy {
    /// The layout of its bits.
    const LAYOUT: Layout;
}

macro_rules! formats {
    ($($(#[$attribute:meta])* $name:ident = $exponent:literal, $fraction:literal, $infinite:literal;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub struct $name;

        impl Format for $name {
            const LAYOUT: Layout = Layout { exponent_bits: $exponent, fraction_bits: $fraction, infinite: $infinite };
        }
    )*};
}

formats! {
    /// IEEE 754 binary16.
    Half = 5, 10, true;
    /// bfloat16, the upper half of f32.
    Brain = 8, 7, true;
    /// `e4m3` of the OCP specification.
    E4M3 = 4, 3, false;
    /// `e5m2` of the OCP specification.
    E5M2 = 5, 2, true;
}

impl Layout {
    /// Returns the size of a value in bytes.
    pub(super) const fn bytes(self) -> usize {
        (1 + self.exponent_bits + self.fraction_bits) as usize / 8
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns the bits of the quiet NaN.
    const fn nan(self) -> u16 {
        let all = (1_u32 << (self.exponent_bits + self.fraction_bits)) - 1;
        let upper = ((1_u32 << (self.exponent_bits + 1)) - 1) << (self.fraction_bits - 1);
        if self.infinite { upper as u16 } else { all as u16 }
    }

    /// Returns the bits of the value after the largest number: infinity, or NaN if the format has no infinity.
    const fn beyond(self) -> u32 {
        if self.infinite { ((1 << self.exponent_bits) - 1) << self.fraction_bits } else { self.nan() as u32 }
    }

    /// Returns the value of bits.
    pub fn decode(self, bits: u16) -> f32 {
        let magnitude = u32::from(bits) & ((1 << (self.exponent_bits + self.fraction_bits)) - 1);
        let (exponent, fraction) = (magnitude >> self.fraction_bits, magnitude & ((1 << self.fraction_bits) - 1));
        let unit = self.unit(exponent.max(1) as i32);
        let value = match (magnitude.cmp(&self.beyond()), exponent) {
            (std::cmp::Ordering::Equal, _) if self.infinite => f64::INFINITY,
            (std::cmp::Ordering::Less, 0) => f64::from(fraction) * unit,
            (std::cmp::Ordering::Less, _) => f64::from(fraction + (1 << self.fraction_bits)) * unit,
            _ => f64::NAN,
        };
        let negative = u32::from(bits) >> (self.exponent_bits + self.fraction_bits) & 1 == 1;
        (if negative { -value } else { value }) as f32
    }

    /// Returns the value of the last fraction bit for an exponent.
    fn unit(self, exponent: i32) -> f64 {
        2_f64.powi(exponent - self.bias() - self.fraction_bits as i32)
    }

    /// Returns the bits of `value`, rounded to nearest even.
    pub fn encode(self, value: f32) -> u16 {
        let sign = u16::from(value.is_sign_negative()) << (self.exponent_bits + self.fraction_bits);
        let magnitude = f64::from(value.abs());
        if value.is_nan() {
            return sign | self.nan();
        }
        if magnitude.is_infinite() {
            return sign | self.beyond() as u16;
        }
        // The exponent of the value, at least the exponent of the format's smallest normal number.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023 + self.bias()).max(1);
        // Scaling by powers of two is exact in f64.
        let units = (magnitude / self.unit(exponent)).round_ties_even() as u32;
        // A fraction rounded up to the next power of two carries into the exponent; subnormals have no implicit bit.
        let bits = units + (((exponent - 1) as u32) << self.fraction_bits);
        sign | bits.min(self.beyond()) as u16
    }
}
