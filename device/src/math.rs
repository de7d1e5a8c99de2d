//! Functions of a GPU's own units.

use crate::target;

/// 1 / sqrt(x), within 2 ulp: CUDA's `rsqrtf`, PTX's `rsqrt.approx.f32`. On the host it is rounded twice.
#[inline(always)]
#[must_use]
pub fn rsqrt(x: f32) -> f32 {
    target::rsqrt(x)
}

/// The largest whole number up to x: CUDA's `floorf`, PTX's `cvt.rmi.f32.f32`.
#[inline(always)]
#[must_use]
pub fn floor(x: f32) -> f32 {
    target::floor(x)
}

#[cfg(test)]
mod tests {
    use super::{floor, rsqrt};

    #[test]
    fn reciprocal_root_of_squares() {
        assert_eq!([4.0, 1.0, 0.25].map(rsqrt), [0.5, 1.0, 2.0]);
    }

    #[test]
    fn floors_go_down() {
        assert_eq!([1.5, -1.5, 2.0].map(floor), [1.0, -2.0, 2.0]);
    }
}
