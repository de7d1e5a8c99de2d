//! Floats of 16 and 8 bits: what their bits mean as f32, which holds each exactly, and rounding to them.

/// How the bits of a format are shared out.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    exponent_bits: u32,
    fraction_bits: u32,
    /// Whether the largest exponent is for infinity and NaN. Without, only the largest magnitude is a NaN, and there is no
    /// infinity: `e4m3` of the OCP 8-bit floating point specification.
    infinite: bool,
}

/// A format as a type.
pub(super) trait Format: Copy {
    const LAYOUT: Layout;
}

macro_rules! formats {
    ($($(#[$attribute:meta])* $name:ident = $exponent:literal, $fraction:literal, $infinite:literal;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl Format for $name {
            const LAYOUT: Layout = Layout { exponent_bits: $exponent, fraction_bits: $fraction, infinite: $infinite };
        }
    )*};
}

formats! {
    /// IEEE 754 binary16.
    Half = 5, 10, true;
    /// The upper half of f32.
    Brain = 8, 7, true;
    /// `e4m3`.
    E4M3 = 4, 3, false;
    /// `e5m2`.
    E5M2 = 5, 2, true;
}

impl Layout {
    pub(super) const fn bytes(self) -> usize {
        (1 + self.exponent_bits + self.fraction_bits) as usize / 8
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The bits of the quiet NaN.
    const fn nan(self) -> u16 {
        let all = (1_u32 << (self.exponent_bits + self.fraction_bits)) - 1;
        let upper = ((1_u32 << (self.exponent_bits + 1)) - 1) << (self.fraction_bits - 1);
        if self.infinite { upper as u16 } else { all as u16 }
    }

    /// The bits that are above those of the largest number: of infinity, or of NaN where there is none.
    const fn beyond(self) -> u32 {
        if self.infinite { ((1 << self.exponent_bits) - 1) << self.fraction_bits } else { self.nan() as u32 }
    }

    /// The number of these bits.
    pub(super) fn decode(self, bits: u16) -> f32 {
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

    /// What the last bit of the fraction is worth under an exponent.
    fn unit(self, exponent: i32) -> f64 {
        2_f64.powi(exponent - self.bias() - self.fraction_bits as i32)
    }

    /// The bits of `value`, rounded to nearest even.
    pub(super) fn encode(self, value: f32) -> u16 {
        let sign = u16::from(value.is_sign_negative()) << (self.exponent_bits + self.fraction_bits);
        let magnitude = f64::from(value.abs());
        if value.is_nan() {
            return sign | self.nan();
        }
        if magnitude.is_infinite() {
            return sign | self.beyond() as u16;
        }
        // An f32's exponent, at least that of the format's smallest normal number.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023 + self.bias()).max(1);
        // Scaling by powers of two is exact in f64.
        let units = (magnitude / self.unit(exponent)).round_ties_even() as u32;
        // A fraction that was rounded up to the next power of two carries into the exponent; subnormals have none.
        let bits = units + (((exponent - 1) as u32) << self.fraction_bits);
        sign | bits.min(self.beyond()) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(layout: Layout, bits: std::ops::Range<u32>) {
        for bits in bits {
            let value = layout.decode(bits as u16);
            let back = layout.decode(layout.encode(value));
            assert!(
                value == back && value.is_sign_negative() == back.is_sign_negative() || value.is_nan() && back.is_nan()
            );
        }
    }

    #[test]
    fn every_value_survives() {
        round_trip(Half::LAYOUT, 0..65536);
        round_trip(Brain::LAYOUT, 0..65536);
        round_trip(E4M3::LAYOUT, 0..256);
        round_trip(E5M2::LAYOUT, 0..256);
    }

    #[test]
    fn known_values() {
        let cases = [
            (Half::LAYOUT, 1.0, 0x3C00),
            (Half::LAYOUT, 65504.0, 0x7BFF),
            (Half::LAYOUT, 65519.0, 0x7BFF),
            (Half::LAYOUT, 65520.0, 0x7C00),
            (Half::LAYOUT, 2_f32.powi(-24), 0x0001),
            (Half::LAYOUT, 2_f32.powi(-25), 0x0000),
            (Half::LAYOUT, 1.0 + 2_f32.powi(-11), 0x3C00),
            (Half::LAYOUT, 1.0 + 3.0 * 2_f32.powi(-11), 0x3C02),
            (Half::LAYOUT, -2.0, 0xC000),
            (Brain::LAYOUT, 1.0, 0x3F80),
            (Brain::LAYOUT, 1.0 + 2_f32.powi(-8), 0x3F80),
            (Brain::LAYOUT, 1.0 + 3.0 * 2_f32.powi(-8), 0x3F82),
            (Brain::LAYOUT, f32::MAX, 0x7F80),
            (E4M3::LAYOUT, 448.0, 0x7E),
            (E4M3::LAYOUT, 2_f32.powi(-9), 0x01),
            (E5M2::LAYOUT, 57344.0, 0x7B),
            (E5M2::LAYOUT, 61440.0, 0x7C),
        ];
        for (layout, value, bits) in cases {
            assert_eq!(layout.encode(value), bits, "{value}");
        }
        assert!(E4M3::LAYOUT.decode(0x7F).is_nan() && E5M2::LAYOUT.decode(0x7D).is_nan());
        assert_eq!(E5M2::LAYOUT.decode(0x7C), f32::INFINITY);
    }
}
