//! TF32 numbers: singles with 11 significant bits.

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
