//! The conversions of 16-bit and 8-bit floats, which are exhaustive and need no communicator.

use emulator_nccl::arithmetic::small_float::{Brain, E4M3, E5M2, Format, Half, Layout};

fn round_trip(layout: Layout, bits: std::ops::Range<u32>) {
    for bits in bits {
        let value = layout.decode(bits as u16);
        let back = layout.decode(layout.encode(value));
        let same = value == back && value.is_sign_negative() == back.is_sign_negative();
        assert!(same || value.is_nan() && back.is_nan(), "{bits:#x}");
    }
}

#[test]
fn every_value_survives_a_round_trip() {
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
