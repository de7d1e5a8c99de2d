//! Mathematical functions for which a GPU has instructions.

use crate::target;

/// Returns 1 / sqrt(x) within 2 ulp: CUDA's `rsqrtf`, PTX's `rsqrt.approx.f32`. On the host the result is rounded twice.
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    target::rsqrt(x)
}

/// Returns [`rsqrt`] of x, with subnormal x treated as 0: PTX's `rsqrt.approx.ftz.f32`. It is one instruction of the
/// special-function unit, whereas `rsqrt` takes three more for subnormal numbers.
#[inline(always)]
#[must_use]
pub fn fast_rsqrt(x: f32) -> f32 {
    target::fast_rsqrt(x)
}

/// Returns the logarithm of x to base 2, with subnormal x treated as 0: PTX's `lg2.approx.ftz.f32`. The error is at most 2^-22,
/// relative to the result or absolute, whichever is larger.
#[inline(always)]
#[must_use]
pub fn fast_log2(x: f32) -> f32 {
    target::fast_log2(x)
}

/// Returns 2 to the power of x within 2 ulp, with a subnormal result replaced by 0: PTX's `ex2.approx.ftz.f32`.
#[inline(always)]
#[must_use]
pub fn fast_exp2(x: f32) -> f32 {
    target::fast_exp2(x)
}

/// Returns the largest integer less than or equal to x: CUDA's `floorf`, PTX's `cvt.rmi.f32.f32`.
#[inline(always)]
#[must_use]
pub fn floor(x: f32) -> f32 {
    target::floor(x)
}

/// Returns the integer nearest to x, or the even one of two: CUDA's `__float2ll_rn`, PTX's `cvt.rni.s64.f32`. Values out of
/// range give the nearest `i64`, and the result for a NaN is unspecified.
#[inline(always)]
#[must_use]
pub fn round_to_i64(x: f32) -> i64 {
    target::round_to_i64(x)
}

/// Returns x * y + z, rounded once: CUDA's `fmaf`, PTX's `fma.rn.f32`. Without this function, the compiler may or may not fuse
/// a product and a sum.
#[inline(always)]
#[must_use]
pub fn mul_add(x: f32, y: f32, z: f32) -> f32 {
    target::mul_add(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::{fast_exp2, fast_log2, fast_rsqrt, floor, mul_add, round_to_i64, rsqrt};

    /// The largest subnormal number.
    const SUBNORMAL: f32 = f32::from_bits(0x007f_ffff);

    #[test]
    fn reciprocal_root_of_squares() {
        assert_eq!([4.0, 1.0, 0.25].map(rsqrt), [0.5, 1.0, 2.0]);
        assert_eq!([4.0, 1.0, 0.25].map(fast_rsqrt), [0.5, 1.0, 2.0]);
    }

    #[test]
    fn fast_functions_take_and_give_zero_for_subnormal_numbers() {
        assert_eq!(fast_rsqrt(SUBNORMAL), f32::INFINITY);
        assert!(rsqrt(SUBNORMAL).is_finite());
        assert_eq!(fast_log2(SUBNORMAL), f32::NEG_INFINITY);
        assert_eq!([-126.0, -127.0].map(fast_exp2), [f32::MIN_POSITIVE, 0.0]);
    }

    #[test]
    fn powers_and_logarithms_of_two() {
        assert_eq!([8.0, 1.0, 0.5].map(fast_log2), [3.0, 0.0, -1.0]);
        assert_eq!([3.0, 0.0, -1.0].map(fast_exp2), [8.0, 1.0, 0.5]);
    }

    #[test]
    fn a_fused_product_and_sum_is_rounded_once() {
        let x = 1.0 + f32::EPSILON;
        assert_eq!(mul_add(x, x, -1.0 - 2.0 * f32::EPSILON), f32::EPSILON * f32::EPSILON);
    }

    #[test]
    fn floors_go_down() {
        assert_eq!([1.5, -1.5, 2.0].map(floor), [1.0, -2.0, 2.0]);
    }

    #[test]
    fn whole_numbers_are_the_nearest_and_even_of_two() {
        assert_eq!([1.5, 2.5, -0.5, 1e30].map(round_to_i64), [2, 2, 0, i64::MAX]);
    }
}
