//! The sum of products of a tensor core, as far as it is known.
//!
//! Products are exact. They and the old sum are aligned to the one with the largest exponent, cut off a few bits below the
//! last bit of a single, added, and cut off to a single: nothing is rounded to nearest. So do Fasi, Higham, Mikaitis and
//! Pranesh (2021, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330) and Li and others (2024, "FTTN") find V100,
//! A100 and H100, which differ in the bits that they keep below, and in how many products they add at once. Here all
//! products of an instruction are added at once, with the bits of an H100. NVIDIA states neither, so the last bits may
//! differ from hardware's. Subnormals count. NaNs, infinities and sums beyond the largest single are as in IEEE 754.

use super::direction::Rounding;
use super::half::Format;
use super::matrix::Factor;
use super::rounding::round_to_single;

/// Bits that are kept below the last one of a single with the largest exponent.
const BITS_BELOW: i32 = 2;

/// Bits of a single behind its leading one.
const FRACTION_BITS: i32 = 23;

/// The NaN of the PTX manual.
const NAN: f32 = f32::from_bits(0x7FFF_FFFF);

/// A factor, a product or the old sum: `digits * 2^scale`, or something that is no number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Term {
    digits: i64,
    scale: i32,
    /// Where the leading bit would be of a number that is not subnormal.
    exponent: i32,
    /// For NaNs and infinities.
    value: f64,
}

impl Term {
    /// The number of these bits, in the low end of a register.
    pub(crate) fn factor(factor: Factor, bits: u32) -> Self {
        match factor {
            Factor::Tf32 => Self::of(f32::from_bits(bits & !0x1FFF).into(), -126, 10),
            Factor::F16 => Self::of(Format::F16.decode(bits as u16), -14, 10),
            Factor::Bf16 => Self::of(Format::Bf16.decode(bits as u16), -126, 7),
        }
    }

    /// A single.
    pub(crate) fn single(value: f32) -> Self {
        Self::of(value.into(), -126, FRACTION_BITS)
    }

    /// A value of a type with that least exponent and that many bits of a fraction.
    fn of(value: f64, least: i32, fraction_bits: i32) -> Self {
        if !value.is_finite() || value == 0.0 {
            return Self { value, ..Self::default() };
        }
        let exponent = ((value.to_bits() >> 52 & 0x7FF) as i32 - 1023).max(least);
        let scale = exponent - fraction_bits;
        Self { digits: (value * 2_f64.powi(-scale)) as i64, scale, exponent, value }
    }

    fn times(self, other: Self) -> Self {
        Self {
            digits: self.digits * other.digits,
            scale: self.scale + other.scale,
            exponent: self.exponent + other.exponent,
            value: self.value * other.value,
        }
    }

    /// How many units of `2^unit` it is, cut off.
    fn units(self, unit: i32) -> i64 {
        let shift = self.scale - unit;
        match shift {
            _ if self.digits == 0 => 0,
            // 5 at most, or 11 for `bf16`: no exponent is larger than that of the unit.
            0.. => self.digits << shift,
            _ => self.digits / (1_i64 << (-shift).min(62)),
        }
    }
}

/// `old` and the products of the pairs.
pub(crate) fn dot(old: Term, pairs: impl Iterator<Item = (Term, Term)> + Clone) -> f32 {
    let terms = || pairs.clone().map(|(a, b)| a.times(b)).chain([old]);
    if terms().any(|term| !term.value.is_finite()) {
        let sum = terms().map(|term| term.value).sum::<f64>() as f32;
        return if sum.is_nan() { NAN } else { sum };
    }
    let Some(largest) = terms().filter(|term| term.digits != 0).map(|term| term.exponent).max() else { return 0.0 };
    let unit = largest - FRACTION_BITS - BITS_BELOW;
    let sum: i64 = terms().map(|term| term.units(unit)).sum();
    let sum = sum as f64 * 2_f64.powi(unit);
    if sum.abs() >= 2_f64.powi(128) { sum as f32 } else { round_to_single(sum, 0.0, Rounding::Zero) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: f32, pairs: &[(f32, f32)]) -> f32 {
        let factor = |value: f32| Term::factor(Factor::Tf32, value.to_bits());
        dot(Term::single(old), pairs.iter().map(|&(a, b)| (factor(a), factor(b))))
    }

    #[test]
    fn small_integers_are_exact() {
        assert_eq!(of(7.0, &[(2.0, 3.0), (-4.0, 5.0), (0.0, 9.0)]), -7.0);
        assert_eq!(of(0.0, &[]).to_bits(), 0);
        assert_eq!(of(-0.0, &[(0.0, -1.0)]).to_bits(), 0);
        assert_eq!(of(0.0, &[(1023.0, 2047.0)]), 1023.0 * 2047.0);
    }

    #[test]
    fn sums_are_cut_off_and_not_rounded() {
        let ulp = 2_f32.powi(-23);
        // Three quarters of a last bit are lost, above and below zero.
        assert_eq!(of(1.0, &[(3.0, 0.25 * ulp)]), 1.0);
        assert_eq!(of(-1.0, &[(-3.0, 0.25 * ulp)]), -1.0);
        // Two bits below the last are kept, and four quarters make one; eighths are cut off one by one.
        assert_eq!(of(1.0, &[(1.0, 0.25 * ulp); 4]), 1.0 + ulp);
        assert_eq!(of(1.0, &[(1.0, 0.125 * ulp); 16]), 1.0);
        // A difference of neighbors is exact.
        assert_eq!(of(1.0 + ulp, &[(-1.0, 1.0)]), ulp);
    }

    #[test]
    fn what_is_no_number_goes_through() {
        assert_eq!(of(f32::INFINITY, &[(1.0, 1.0)]), f32::INFINITY);
        assert_eq!(of(1.0, &[(f32::NEG_INFINITY, 2.0)]), f32::NEG_INFINITY);
        assert_eq!(of(1.0, &[(f32::INFINITY, 0.0)]).to_bits(), 0x7FFF_FFFF);
        assert_eq!(of(f32::INFINITY, &[(f32::INFINITY, -1.0)]).to_bits(), 0x7FFF_FFFF);
        assert_eq!(of(f32::NAN, &[]).to_bits(), 0x7FFF_FFFF);
        assert_eq!(of(0.0, &[(2_f32.powi(127), 2.0)]), f32::INFINITY);
    }

    #[test]
    fn subnormals_count() {
        assert_eq!(of(f32::from_bits(1), &[]), f32::from_bits(1));
        assert_eq!(of(0.0, &[(2_f32.powi(-70), 2_f32.powi(-70))]), 2_f32.powi(-140));
        let half = |bits| Term::factor(Factor::F16, bits);
        assert_eq!(dot(Term::default(), [(half(1), half(0x3C00))].into_iter()), 2_f32.powi(-24));
        let brain = |bits| Term::factor(Factor::Bf16, bits);
        assert_eq!(dot(Term::default(), [(brain(1), brain(0x4000))].into_iter()), 2_f32.powi(-132));
    }
}
