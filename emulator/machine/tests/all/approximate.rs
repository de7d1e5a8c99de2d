//! Approximate instructions over all magnitudes, compared with double precision within the error bounds of the PTX manual.

use crate::support::case::Tolerance::{self, Absolute, Relative, Ulp};
use crate::support::circular::{cos, sin};
use crate::support::machine::{Machine, Shape, bytes_of};
use crate::support::value::Type;
use std::f64::consts::PI;

const SINGLE: Type = Type { kind: crate::support::value::Kind::Float, bits: 32 };

/// The number of inputs of a sweep. They are spread evenly over the bits of a range, that is, over exponents and mantissas.
const INPUTS: u32 = 1 << 17;

/// Returns the inputs from `low` to `high`, which are positive, and optionally their negatives.
fn sweep(low: f32, high: f32, negative: bool) -> Vec<f32> {
    let low = low.to_bits();
    let high = high.to_bits();
    let bits = |index: u32| low + (u64::from(high - low) * u64::from(index) / u64::from(INPUTS - 1)) as u32;
    let sign = |index: u32| if negative && index % 2 == 1 { 0x8000_0000 } else { 0 };
    (0..INPUTS).map(|index| f32::from_bits(bits(index) | sign(index))).collect()
}

/// Returns the result of `opcode` for each input. The second operand of a division is constant.
fn results(opcode: &str, divisor: Option<f32>, inputs: &[f32]) -> Vec<f32> {
    let operand = divisor.map_or(String::new(), |value| format!(", 0f{:08X}", value.to_bits()));
    let machine = Machine::new(&format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .u64 input, .param .u64 output)
{{
    .reg .b32 %r<5>;
    .reg .b64 %d<4>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    mul.wide.u32 %d0, %r3, 4;
    ld.param.u64 %d1, [input];
    ld.param.u64 %d2, [output];
    add.u64 %d1, %d1, %d0;
    add.u64 %d2, %d2, %d0;
    ld.global.f32 %r4, [%d1];
    {opcode} %r4, %r4{operand};
    st.global.f32 [%d2], %r4;
    ret;
}}
"
    ));
    let input = machine.upload(&bytes_of(inputs, f32::to_le_bytes));
    let output = machine.allocate(4 * inputs.len());
    let shape = Shape::threads(256).blocks(inputs.len() as u32 / 256);
    machine.run("test", shape, &[&input.to_le_bytes(), &output.to_le_bytes()]);
    machine.floats(output, inputs.len())
}

/// Checks a sweep. With `.ftz`, zero is accepted instead of a subnormal result.
fn check(opcode: &str, inputs: &[f32], tolerance: Tolerance, reference: impl Fn(f64) -> f64) {
    check_results(opcode, inputs, &results(opcode, None, inputs), tolerance, reference);
}

fn check_results(opcode: &str, inputs: &[f32], found: &[f32], tolerance: Tolerance, reference: impl Fn(f64) -> f64) {
    for (&input, &found) in inputs.iter().zip(found) {
        let exact = reference(f64::from(input));
        let flushed = opcode.contains(".ftz") && exact.abs() < f64::from(f32::MIN_POSITIVE) && found == 0.0;
        let good = flushed || tolerance.accepts(SINGLE, exact, f64::from(found));
        assert!(good, "{opcode} {input:e}: {found:e} where {exact:e} is exact, tolerance {tolerance:?}");
    }
}

const MIN_NORMAL: f32 = f32::MIN_POSITIVE;
const MIN_SUBNORMAL: f32 = f32::from_bits(1);

#[test]
fn reciprocal_square_root() {
    let error = Relative((-22.9_f64).exp2());
    check("rsqrt.approx.f32", &sweep(MIN_SUBNORMAL, f32::MAX, false), error, |x| 1.0 / x.sqrt());
    check("rsqrt.approx.f32", &sweep(1.0, 4.0, false), error, |x| 1.0 / x.sqrt());
    check("rsqrt.approx.ftz.f32", &sweep(MIN_NORMAL, f32::MAX, false), error, |x| 1.0 / x.sqrt());
}

#[test]
fn square_root() {
    let error = Relative((-23.0_f64).exp2());
    check("sqrt.approx.f32", &sweep(MIN_SUBNORMAL, f32::MAX, false), error, f64::sqrt);
    check("sqrt.approx.f32", &sweep(1.0, 4.0, false), error, f64::sqrt);
    check("sqrt.approx.ftz.f32", &sweep(MIN_NORMAL, f32::MAX, false), error, f64::sqrt);
}

#[test]
fn reciprocal() {
    // The reciprocal of a number below 2^-128 overflows.
    let least = f32::from_bits(0x0020_0001);
    check("rcp.approx.f32", &sweep(least, f32::MAX, true), Ulp(1.0), f64::recip);
    check("rcp.approx.f32", &sweep(1.0, 2.0, true), Ulp(1.0), f64::recip);
    check("rcp.approx.ftz.f32", &sweep(MIN_NORMAL, f32::MAX, true), Ulp(1.0), f64::recip);
}

#[test]
fn division() {
    for opcode in ["div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"] {
        for divisor in [3.0, -0.7, 1.0e-30, 8.5e37] {
            let inputs = sweep(MIN_NORMAL, 1.0e8, true);
            let found = results(opcode, Some(divisor), &inputs);
            check_results(opcode, &inputs, &found, Ulp(2.0), |x| x / f64::from(divisor));
        }
    }
}

#[test]
fn sine_and_cosine() {
    let near = [(-20.9_f64).exp2(), 2.0 * PI];
    let far = [(-14.7_f64).exp2(), 100.0 * PI];
    for [error, range] in [near, far] {
        let inputs = sweep(MIN_NORMAL, range as f32, true);
        check("sin.approx.f32", &inputs, Absolute(error), sin);
        check("cos.approx.f32", &inputs, Absolute(error), cos);
        check("sin.approx.ftz.f32", &inputs, Absolute(error), sin);
        check("cos.approx.ftz.f32", &inputs, Absolute(error), cos);
    }
}

#[test]
fn binary_logarithm() {
    let bound = (-22.6_f64).exp2();
    let below_half = f32::from_bits(0.5_f32.to_bits() - 1);
    for opcode in ["lg2.approx.f32", "lg2.approx.ftz.f32"] {
        check(opcode, &sweep(0.5, 2.0, false), Absolute(bound), f64::log2);
        check(opcode, &sweep(MIN_NORMAL, below_half, false), Relative(bound), f64::log2);
        check(opcode, &sweep(2.0, f32::MAX, false), Relative(bound), f64::log2);
    }
    check("lg2.approx.f32", &sweep(MIN_SUBNORMAL, MIN_NORMAL, false), Relative(bound), f64::log2);
}

#[test]
fn binary_exponential() {
    for opcode in ["ex2.approx.f32", "ex2.approx.ftz.f32"] {
        check(opcode, &sweep(MIN_NORMAL, 127.0, false), Ulp(2.0), f64::exp2);
        check(opcode, &sweep(MIN_NORMAL, 1.0, true), Relative((-22.5_f64).exp2()), f64::exp2);
        let negative: Vec<f32> = sweep(MIN_NORMAL, 149.0, false).into_iter().map(|value| -value).collect();
        check(opcode, &negative, Ulp(2.0), f64::exp2);
    }
}

#[test]
fn hyperbolic_tangent() {
    check("tanh.approx.f32", &sweep(MIN_NORMAL, 20.0, true), Relative((-11.0_f64).exp2()), f64::tanh);
}

#[test]
#[should_panic(expected = "tolerance Relative")]
fn a_result_that_is_three_ulps_off_fails() {
    let inputs = sweep(1.0, 4.0, false);
    let mut found = results("rsqrt.approx.f32", None, &inputs);
    found[77] = f32::from_bits(found[77].to_bits() + 3);
    check_results("rsqrt.approx.f32", &inputs, &found, Relative((-22.9_f64).exp2()), |x| 1.0 / x.sqrt());
}
