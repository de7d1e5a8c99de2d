//! Approximate instructions and multiply-adds return the same bits on every system and with every set of vector instructions.
//! This file contains hashes of their results.

use crate::support::machine::{Machine, Shape, bytes_of};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The number of lanes of a launch. Each has different operands.
const LANES: u32 = 1 << 14;

/// Instructions in single precision: the number of operands, and the hash of the results.
const SINGLE: &[(&str, usize, u64)] = &[
    ("rcp.approx.f32", 1, 0x9CCC_D97D_9CC1_09DE),
    ("rcp.approx.ftz.f32", 1, 0xD4FF_ECF1_C0C6_527E),
    ("sqrt.approx.f32", 1, 0x252D_06CB_AE3F_DE6E),
    ("sqrt.approx.ftz.f32", 1, 0x5D62_4049_1E5A_229A),
    ("rsqrt.approx.f32", 1, 0x13D9_39DD_0A8A_4438),
    ("rsqrt.approx.ftz.f32", 1, 0xA92C_23AB_10E6_73B8),
    ("div.approx.f32", 2, 0xADC9_1C7A_C981_891B),
    ("div.approx.ftz.f32", 2, 0x0C3F_2632_55A7_6F20),
    ("div.full.f32", 2, 0xD40B_AB6A_629D_0975),
    ("div.full.ftz.f32", 2, 0x5CB2_87AA_2D9E_7667),
    ("sin.approx.f32", 1, 0x0290_0838_AB26_D7FB),
    ("sin.approx.ftz.f32", 1, 0x088C_7962_CCCE_9BD5),
    ("cos.approx.f32", 1, 0x7465_D335_5ADE_96B2),
    ("cos.approx.ftz.f32", 1, 0x7465_D335_5ADE_96B2),
    ("lg2.approx.f32", 1, 0x77D2_6EC4_7091_6EC0),
    ("lg2.approx.ftz.f32", 1, 0x4D00_6EDB_EC40_EF7F),
    ("ex2.approx.f32", 1, 0xDA4D_0261_771F_5D81),
    ("ex2.approx.ftz.f32", 1, 0xFEDA_2B12_9C2D_1776),
    ("tanh.approx.f32", 1, 0x03A9_69B7_9A6A_CD2E),
    ("fma.rn.f32", 3, 0xC9F5_9CA3_4797_466A),
    ("fma.rn.ftz.f32", 3, 0xAF19_DC69_B07F_C7B4),
    ("fma.rz.f32", 3, 0xB3AC_7856_390C_A4CE),
    ("fma.rm.f32", 3, 0x37A4_A9CF_02B7_904D),
    ("fma.rp.f32", 3, 0x7C21_B41C_1D7C_84A8),
];

const DOUBLE: &[(&str, usize, u64)] = &[
    ("rcp.approx.ftz.f64", 1, 0xD5D4_FC0F_1AB1_6759),
    ("rsqrt.approx.f64", 1, 0x94E4_D0DD_CB43_3A60),
    ("rsqrt.approx.ftz.f64", 1, 0x2190_6EE9_2262_4F97),
    ("sqrt.rn.f64", 1, 0xD4F9_DEED_474B_3983),
    ("div.rn.f64", 2, 0x202E_BD88_9932_AB0B),
    ("fma.rn.f64", 3, 0x9649_413D_D94B_D634),
    ("fma.rz.f64", 3, 0x85F8_D85C_FCD9_4979),
    ("fma.rm.f64", 3, 0x42F5_EAE6_B3B3_0F6D),
    ("fma.rp.f64", 3, 0x2264_3C5E_C9A3_5DF0),
];

/// Returns pseudorandom bits (SplitMix64).
fn bits(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns operand `place` of a lane: arbitrary bits in even lanes, and numbers between 2^-16 and 2^16 in odd lanes, whose sums
/// and products cancel and round in all possible ways.
fn operand(lane: u32, place: u32, is_double: bool) -> u64 {
    let bits = bits(u64::from(3 * lane + place + 1));
    match (is_double, lane % 2) {
        (true, 0) => bits,
        (true, _) => bits & !(0x7FF << 52) | (1007 + (bits >> 52) % 32) << 52,
        (false, 0) => bits >> 32,
        (false, _) => (bits >> 32) & !(0xFF << 23) | (111 + bits % 32) << 23,
    }
}

fn program(opcode: &str, operands: usize, is_double: bool) -> String {
    let (bytes, kind, register) = if is_double { (8, "f64", "%d") } else { (4, "f32", "%r") };
    let load = |place: usize| format!("    ld.global.{kind} {register}{}, [%d1 + {}];\n", 4 + place, place * bytes);
    let list: Vec<String> = (0..operands).map(|place| format!("{register}{}", 4 + place)).collect();
    format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .u64 input, .param .u64 output)
{{
    .reg .b32 %r<8>;
    .reg .b64 %d<8>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    mul.wide.u32 %d0, %r3, {bytes};
    mul.wide.u32 %d3, %r3, {};
    ld.param.u64 %d1, [input];
    ld.param.u64 %d2, [output];
    add.u64 %d1, %d1, %d3;
    add.u64 %d2, %d2, %d0;
{}    {opcode} {register}7, {};
    st.global.{kind} [%d2], {register}7;
    ret;
}}
",
        3 * bytes,
        (0..operands).map(load).collect::<String>(),
        list.join(", ")
    )
}

/// Returns the FNV-1a hash of the results. All NaNs are hashed alike, because their bits are not defined.
fn hash(machine: &Machine, is_double: bool) -> u64 {
    let bytes = if is_double { 8 } else { 4 };
    let words = (0..LANES).flat_map(|lane| (0..3).map(move |place| operand(lane, place, is_double)));
    let input = machine.upload(&words.flat_map(|word| word.to_le_bytes().into_iter().take(bytes)).collect::<Vec<u8>>());
    let output = machine.allocate(bytes * LANES as usize);
    let shape = Shape::threads(256).blocks(LANES / 256);
    machine.run("test", shape, &[&input.to_le_bytes(), &output.to_le_bytes()]);
    let results = machine.download(output, bytes * LANES as usize);
    results.chunks_exact(bytes).fold(0xCBF2_9CE4_8422_2325, |hash, result| {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(result);
        let word = u64::from_le_bytes(word);
        let is_nan = if is_double { f64::from_bits(word).is_nan() } else { f32::from_bits(word as u32).is_nan() };
        let word = if is_nan { u64::MAX } else { word };
        word.to_le_bytes().iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
    })
}

fn check(list: &[(&str, usize, u64)], is_double: bool) {
    let mut wrong = String::new();
    for &(opcode, operands, expected) in list {
        let machine = Machine::new(&program(opcode, operands, is_double));
        let found = [hash(&machine, is_double), hash(&machine.baseline(), is_double)];
        if found != [expected; 2] {
            wrong += &format!("    (\"{opcode}\", {operands}, {:#018X}), // baseline {:#018X}\n", found[0], found[1]);
        }
    }
    assert!(wrong.is_empty(), "the results differ from those on other systems:\n{wrong}");
}

#[test]
fn results_in_single_precision_are_the_same_on_every_system() {
    check(SINGLE, false);
}

#[test]
fn results_in_double_precision_are_the_same_on_every_system() {
    check(DOUBLE, true);
}

/// Without the processor's instruction, the emulator computes a multiply-add in double precision.
#[test]
fn multiply_adds_are_rounded_once_with_every_set_of_vector_instructions() {
    check_multiply_adds(1 << 19);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn more_multiply_adds_are_rounded_once_with_every_set_of_vector_instructions() {
    check_multiply_adds(1 << 21);
}

/// Requires the exact results of this many multiply-adds, a multiple of 256.
fn check_multiply_adds(count: u32) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let operands: Vec<[f32; 3]> = (0..count)
        .map(|_| {
            let [a, b, c]: [f32; 3] = std::array::from_fn(|_| f32::from_bits(random.random()));
            // Cancellation and halfway cases need an addend of the product's size.
            let near = |steps: i8| -(a * b) * (1.0 + f32::EPSILON * f32::from(steps));
            [a, b, if random.random() { near(random.random_range(-3..=3)) } else { c }]
        })
        .collect();
    let expected: Vec<f32> = operands.iter().map(|&[a, b, c]| libm::fmaf(a, b, c)).collect();
    let machine = Machine::new(&program("fma.rn.f32", 3, false));
    for machine in [machine.baseline(), machine] {
        let input = machine.upload(&bytes_of(operands.as_flattened(), f32::to_le_bytes));
        let output = machine.allocate(4 * count as usize);
        let shape = Shape::threads(256).blocks(count / 256);
        machine.run("test", shape, &[&input.to_le_bytes(), &output.to_le_bytes()]);
        let results = machine.floats(output, count as usize);
        for ((found, expected), [a, b, c]) in results.iter().zip(&expected).zip(&operands) {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{a:e} * {b:e} + {c:e}: {found:e} {expected:e}");
        }
    }
}

#[test]
fn a_result_that_differs_in_its_last_bit_gives_another_hash() {
    let of = |opcode: &str| hash(&Machine::new(&program(opcode, 3, true)), true);
    assert_ne!(of("fma.rn.f64"), of("fma.rz.f64"));
}

#[test]
fn every_approximate_instruction_has_a_hash() {
    let table = include_str!("../../INSTRUCTIONS.md");
    let named = table.split('`').filter(|word| word.contains(".approx") || word.contains("|approx}"));
    let stems: Vec<&str> = named.map(|word| word.split(['.', '{']).next().unwrap_or_default()).collect();
    assert!(stems.len() > 8, "{stems:?}");
    for stem in stems {
        let is_here = |list: &[(&str, usize, u64)]| list.iter().any(|(opcode, ..)| opcode.starts_with(stem));
        assert!(is_here(SINGLE) || is_here(DOUBLE), "{stem}");
    }
}
