//! Singles with 11 significant bits, as tensor cores take them.

/// Drops the low 13 bits of a single, after `carry` has rounded its bits.
#[inline(always)]
pub(super) fn to_tf32(value: f32, carry: impl Fn(u32) -> u32) -> f32 {
    let bits = value.to_bits();
    match value.is_nan() {
        true => f32::from_bits(0x7FFF_FFFF),
        // The carry of the largest numbers makes an infinity, and none reaches the sign.
        false if value.is_finite() => f32::from_bits(carry(bits) & !0x1FFF),
        false => value,
    }
}

/// A carry that rounds to nearest, ties to even.
#[inline(always)]
pub(super) fn nearest(bits: u32) -> u32 {
    bits + 0xFFF + (bits >> 13 & 1)
}

/// `value`, or zero where it is negative.
#[inline(always)]
pub(super) fn relu(value: f32) -> f32 {
    if value <= 0.0 { 0.0 } else { value }
}
