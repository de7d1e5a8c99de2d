//! The largest difference from a reference in double precision that rounding explains.
//!
//! A kernel sums n rounded terms in single precision, in an order of its own. With u = 2⁻²⁴, λ > 0, M = Σ |terms|, at
//! most k roundings inside a term, and S the terms smaller than 4 u M,
//!
//! ```text
//! |computed − exact| ≤ (λ √n + k) · u · M + Σ over S of min(|term|, u M)
//! ```
//!
//! The first part holds for one sum with a probability of at least 1 − 2 n exp(−λ² / 2), if the rounding errors of the
//! sum are independent and of mean zero (Higham and Mary, "A new approach to probabilistic rounding error analysis",
//! SIAM J. Sci. Comput. 41(5), 2019, theorems 2.4 and 3.1, to first order); the roundings inside a term are taken at
//! their worst. λ = 8 makes that one failure in 10⁹ sums of 16384 terms. The deterministic bound has n for λ √n.
//!
//! The second part is for terms of less than two units in the last place of the sum, whose rounding errors are not of
//! mean zero: next to one overwhelming term they are lost again and again. The error of an addition is at most the term,
//! because the sum without it is representable, and at most u M.
//!
//! A value passes only if its difference is at most the tolerance, so NaN never passes.

/// Half the distance from 1 to the next single-precision number.
pub const UNIT_ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;

/// λ of the bound above.
pub const LAMBDA: f64 = 8.0;

/// Largest relative error of `rsqrt.approx.f32`, in units of [`UNIT_ROUNDOFF`]: 2⁻²²·⁹ (PTX ISA, rsqrt).
pub const RSQRT_ROUNDINGS: f64 = 2.15;

/// The bits that fill outputs before a launch: a NaN that no arithmetic of the device yields, which marks what the kernel
/// leaves unwritten.
pub const POISON_BITS: u32 = 0x7FC0_DEAD;

/// Returns [`POISON_BITS`] as a number.
#[must_use]
pub fn poison_f32() -> f32 {
    f32::from_bits(POISON_BITS)
}

/// Returns [`POISON_BITS`] as a number, which must not be a correct result of a problem of integers.
#[must_use]
pub fn poison_i32() -> i32 {
    POISON_BITS.cast_signed()
}

/// Returns the first part of the bound above, for a sum of `terms` terms with `roundings` roundings each, whose magnitudes
/// add up to `magnitude`.
#[must_use]
pub fn sum_tolerance(terms: usize, roundings: f64, magnitude: f64) -> f64 {
    (LAMBDA * (terms as f64).sqrt() + roundings) * UNIT_ROUNDOFF * magnitude
}

/// Returns the second part of the bound above. The terms' magnitudes may themselves be rounded to single precision.
#[must_use]
pub fn lost_terms(magnitudes: &[f32], magnitude: f64) -> f64 {
    let unit = UNIT_ROUNDOFF * magnitude;
    simd::vectorize!(lost_sum(magnitudes, (4.0 * unit) as f32, unit as f32))
}

/// Returns the sum of the terms below `small`, of each at most `most`.
#[inline(always)]
fn lost_sum(terms: &[f32], small: f32, most: f32) -> f64 {
    /// For vector instructions.
    const LANES: usize = 16;
    let lost = |term: f32| if term < small { term.min(most) } else { 0.0 };
    let (groups, rest) = terms.as_chunks::<LANES>();
    let mut sum = [0.0; LANES];
    // Few groups at a time, so that sums in single precision stay accurate.
    for groups in groups.chunks(4) {
        let mut lanes = [0.0; LANES];
        for group in groups {
            for lane in 0..LANES {
                lanes[lane] += lost(group[lane]);
            }
        }
        for lane in 0..LANES {
            sum[lane] += f64::from(lanes[lane]);
        }
    }
    for &term in rest {
        sum[0] += f64::from(lost(term));
    }
    sum.iter().sum()
}

/// The expected value of one output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// The reference.
    pub value: f64,
    /// Sum of the magnitudes of its terms: the scale of relative errors.
    pub magnitude: f64,
    /// Largest difference accepted.
    pub tolerance: f64,
}

impl Expected {
    /// Returns the expectation of a sum of terms with these magnitudes, under [`sum_tolerance`] and [`lost_terms`].
    #[must_use]
    pub fn sum(value: f64, magnitude: f64, magnitudes: &[f32], roundings: f64) -> Self {
        let tolerance = sum_tolerance(magnitudes.len(), roundings, magnitude) + lost_terms(magnitudes, magnitude);
        Self { value, magnitude, tolerance }
    }

    /// Returns the expectation if each term may be off by this many [`UNIT_ROUNDOFF`]s more.
    #[must_use]
    pub fn with_roundings(self, more: f64) -> Self {
        Self { tolerance: self.tolerance + more * UNIT_ROUNDOFF * self.magnitude, ..self }
    }

    /// Returns the expectation of a multiple of the value, by a factor > 0.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let Self { value, magnitude, tolerance } = self;
        Self { value: value * factor, magnitude: magnitude * factor, tolerance: tolerance * factor }
    }

    /// Returns the expectation of a value without tolerance.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { value, magnitude: value.abs(), tolerance: 0.0 }
    }
}
