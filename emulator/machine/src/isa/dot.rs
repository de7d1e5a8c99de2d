//! The dot products of a tensor core, as far as their arithmetic is known.
//!
//! Products are exact. The products and the old sum are aligned to the largest exponent, truncated a few bits below the last bit
//! of a single, added, and truncated to a single. Nothing is rounded to nearest. Fasi, Higham, Mikaitis and Pranesh (2021,
//! "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330) and Li and others (2024, "FTTN") measured this on V100, A100 and
//! H100, which differ in the number of extra bits, and in the number of products that are added at once. Here, all products of
//! an instruction are added at once, with the extra bits of an H100. NVIDIA documents neither, so the last bits may differ
//! from the hardware. An H200 returned these bits for all products of a warpgroup that were compared (`tests/all/warpgroup.rs`).
//! Subnormal numbers are not flushed. NaNs, infinities and overflow follow IEEE 754.

use super::direction::Rounding;
use super::half::Format;
use super::matrix::Factor;
use super::rounding::round_to_single;

/// The number of bits that are kept below the last bit of a single with the largest exponent.
const BITS_BELOW: i32 = 2;

/// The number of fraction bits of a single.
const FRACTION_BITS: i32 = 23;

/// The exponent of a zero, below all others.
const NOTHING: i32 = i32::MIN;

/// The canonical NaN of the PTX manual.
const NAN: f32 = f32::from_bits(0x7FFF_FFFF);

/// A factor, a product or the old sum: `digits * 2^scale`, or a NaN or an infinity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Term {
    digits: i64,
    scale: i32,
    /// The exponent of the leading bit, or the least exponent of the type for a subnormal number.
    exponent: i32,
    /// The value, which matters only for NaNs and infinities.
    value: f64,
}

impl Term {
    /// Returns the factor in the low bits of a register.
    pub(crate) fn factor(factor: Factor, bits: u32) -> Self {
        match factor {
            Factor::Tf32 => Self::new(f32::from_bits(bits & !0x1FFF).into(), -126, 10),
            Factor::F16 => Self::new(Format::F16.decode(bits as u16), -14, 10),
            Factor::Bf16 => Self::new(Format::Bf16.decode(bits as u16), -126, 7),
        }
    }

    /// Returns a single as a term.
    pub(crate) fn single(value: f32) -> Self {
        Self::new(value.into(), -126, FRACTION_BITS)
    }

    /// Returns a value of a type, given the type's least exponent and its number of fraction bits.
    fn new(value: f64, least: i32, fraction_bits: i32) -> Self {
        if !value.is_finite() || value == 0.0 {
            return Self { value, ..Self::default() };
        }
        let exponent = ((value.to_bits() >> 52 & 0x7FF) as i32 - 1023).max(least);
        let scale = exponent - fraction_bits;
        Self { digits: (value * power_of_two(-scale)) as i64, scale, exponent, value }
    }

    fn times(self, other: Self) -> Self {
        Self {
            digits: self.digits * other.digits,
            scale: self.scale + other.scale,
            exponent: self.exponent + other.exponent,
            value: self.value * other.value,
        }
    }

    /// Returns the exponent, or [`NOTHING`] for a zero.
    fn leading(self) -> i32 {
        if self.digits == 0 { NOTHING } else { self.exponent }
    }

    /// Returns the number of units of `2^unit`, truncated.
    fn units(self, unit: i32) -> i64 {
        let shift = self.scale - unit;
        match shift {
            _ if self.digits == 0 => 0,
            // At most 5, or 11 for `bf16`, since no term has a larger exponent than the one that defines the unit.
            0.. => self.digits << shift,
            // A shift truncates down, and a division truncates to zero. It would take most of the time.
            _ => {
                let below = (-shift).min(62);
                let of_negative = (1_i64 << below) - 1;
                (self.digits + (self.digits >> 63 & of_negative)) >> below
            }
        }
    }
}

/// Returns the sum of `old` and the products of the elements of `a` and `b`, which have the same length.
pub(crate) fn dot(old: Term, a: &[Term], b: &[Term]) -> f32 {
    let products = || a.iter().zip(b).map(|(a, b)| a.times(*b));
    let mut finite = old.value.is_finite();
    let mut largest = old.leading();
    // Each product is computed twice, because it takes longer to keep them.
    for product in products() {
        finite &= product.value.is_finite();
        largest = largest.max(product.leading());
    }
    if !finite {
        let sum = products().fold(old.value, |sum, product| sum + product.value) as f32;
        return if sum.is_nan() { NAN } else { sum };
    }
    if largest == NOTHING {
        return 0.0;
    }
    let unit = largest - FRACTION_BITS - BITS_BELOW;
    let sum = products().fold(old.units(unit), |sum, product| sum + product.units(unit));
    let sum = sum as f64 * power_of_two(unit);
    if sum.abs() >= power_of_two(128) { sum as f32 } else { round_to_single(sum, 0.0, Rounding::Zero) }
}

/// Returns the sum of [`dot`], rounded to the nearest half, as its bits. An H200 returned these bits for all 10,240 sums that
/// were recorded (`tests/hardware/fragments.json`).
pub(crate) fn dot_in_half(old: Term, a: &[Term], b: &[Term]) -> u32 {
    Format::F16.encode(dot(old, a, b).into(), Rounding::Nearest).into()
}

/// Returns `2^exponent`, for an exponent of -1022 to 1023. `powi` calls a function that multiplies.
fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
