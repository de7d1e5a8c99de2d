//! Floating-point instructions that round to nearest. Other rounding modes and saturation are in [`super::rounding`].
//!
//! Approximate instructions return the correctly rounded value, or the double-precision result of a function of the crate
//! `libm`. Both are within the error bounds of the PTX manual (section "Floating-Point Instructions"), and neither is bit-equal
//! to hardware. The payload of a NaN result is not defined.
//!
//! No function of a C library is used, because their last bits differ between systems. The `fma` of MinGW is even wrong.

use super::family::instruction_family;
use crate::vector::apply::{CHUNK, Each, Execute, Places, apply3_checked};
use crate::vector::lanes::Lanes;
use crate::vector::registers::Registers;

instruction_family! {
    /// Floating-point arithmetic.
    Float {
        Add32 "add[.rn].f32" Float, "d = a + b", (a: f32, b: f32) -> f32 { a + b }
        AddFtz "add[.rn].ftz.f32" Float, "d = a + b, subnormals flushed to zero", (a: f32, b: f32) -> f32 { flush(flush(a) + flush(b)) }
        Add64 "add[.rn].f64" Float, "d = a + b", (a: f64, b: f64) -> f64 { a + b }
        Sub32 "sub[.rn].f32" Float, "d = a - b", (a: f32, b: f32) -> f32 { a - b }
        SubFtz "sub[.rn].ftz.f32" Float, "d = a - b, subnormals flushed to zero", (a: f32, b: f32) -> f32 { flush(flush(a) - flush(b)) }
        Sub64 "sub[.rn].f64" Float, "d = a - b", (a: f64, b: f64) -> f64 { a - b }
        Mul32 "mul[.rn].f32" Float, "d = a * b", (a: f32, b: f32) -> f32 { a * b }
        MulFtz "mul[.rn].ftz.f32" Float, "d = a * b, subnormals flushed to zero", (a: f32, b: f32) -> f32 { flush(flush(a) * flush(b)) }
        Mul64 "mul[.rn].f64" Float, "d = a * b", (a: f64, b: f64) -> f64 { a * b }
        Fma32 "fma.rn.f32" Float, "d = a * b + c, rounded once", (a: f32, b: f32, c: f32) -> f32 { fma32::<FMA>(a, b, c) }
        FmaFtz "fma.rn.ftz.f32" Float, "d = a * b + c, rounded once, subnormals flushed to zero", (a: f32, b: f32, c: f32) -> f32 { flush(fma32::<FMA>(flush(a), flush(b), flush(c))) }
        Fma64 "fma.rn.f64" Float, "d = a * b + c, rounded once", (a: f64, b: f64, c: f64) -> f64 { fma64::<FMA>(a, b, c) }
        Mad32 "mad.rn.f32" Float, "d = a * b + c, rounded once", (a: f32, b: f32, c: f32) -> f32 { fma32::<FMA>(a, b, c) }
        MadFtz "mad.rn.ftz.f32" Float, "d = a * b + c, rounded once, subnormals flushed to zero", (a: f32, b: f32, c: f32) -> f32 { flush(fma32::<FMA>(flush(a), flush(b), flush(c))) }
        Mad64 "mad.rn.f64" Float, "d = a * b + c, rounded once", (a: f64, b: f64, c: f64) -> f64 { fma64::<FMA>(a, b, c) }

        Div32 "div.{rn|full}.f32" Special, "d = a / b", (a: f32, b: f32) -> f32 { a / b }
        DivFtz "div.{rn|full}.ftz.f32" Special, "d = a / b, subnormals flushed to zero", (a: f32, b: f32) -> f32 { flush(flush(a) / flush(b)) }
        DivApprox "div.approx.f32" Special, "d = a / b; a * 0 for |b| > 2^126", (a: f32, b: f32) -> f32 { divide_approximately(a, b) }
        DivApproxFtz "div.approx.ftz.f32" Special, "d = a / b; a * 0 for |b| > 2^126, subnormals flushed to zero", (a: f32, b: f32) -> f32 { flush(divide_approximately(flush(a), flush(b))) }
        Div64 "div.rn.f64" Special, "d = a / b", (a: f64, b: f64) -> f64 { a / b }
        Rcp32 "rcp.{rn|approx}.f32" Special, "d = 1 / a", (a: f32) -> f32 { 1.0 / a }
        RcpFtz "rcp.{rn|approx}.ftz.f32" Special, "d = 1 / a, subnormals flushed to zero", (a: f32) -> f32 { flush(1.0 / flush(a)) }
        Rcp64 "rcp.rn.f64" Special, "d = 1 / a", (a: f64) -> f64 { 1.0 / a }
        RcpApprox64 "rcp.approx.ftz.f64" Special each, "d = 1 / a to 20 bits, low word zero", (a: f64) -> f64 { flush64(high_word(1.0 / flush64(high_word(a)))) }
        Sqrt32 "sqrt.{rn|approx}.f32" Special, "d = sqrt(a)", (a: f32) -> f32 { a.sqrt() }
        SqrtFtz "sqrt.{rn|approx}.ftz.f32" Special, "d = sqrt(a), subnormals flushed to zero", (a: f32) -> f32 { flush(a).sqrt() }
        Sqrt64 "sqrt.rn.f64" Special, "d = sqrt(a)", (a: f64) -> f64 { a.sqrt() }
        Rsqrt32 "rsqrt.approx.f32" Special, "d = 1 / sqrt(a)", (a: f32) -> f32 { 1.0 / a.sqrt() }
        RsqrtFtz "rsqrt.approx.ftz.f32" Special, "d = 1 / sqrt(a), subnormals flushed to zero", (a: f32) -> f32 { 1.0 / flush(a).sqrt() }
        Rsqrt64 "rsqrt.approx.f64" Special each, "d = 1 / sqrt(a)", (a: f64) -> f64 { 1.0 / a.sqrt() }
        RsqrtApprox64 "rsqrt.approx.ftz.f64" Special each, "d = 1 / sqrt(a) to 20 bits, low word zero", (a: f64) -> f64 { high_word(1.0 / flush64(high_word(a)).sqrt()) }
        Sin "sin.approx.f32" Special each, "d = sin(a)", (a: f32) -> f32 { libm::sin(f64::from(a)) as f32 }
        SinFtz "sin.approx.ftz.f32" Special each, "d = sin(a), subnormals flushed to zero", (a: f32) -> f32 { flush(libm::sin(f64::from(flush(a))) as f32) }
        Cos "cos.approx.f32" Special each, "d = cos(a)", (a: f32) -> f32 { libm::cos(f64::from(a)) as f32 }
        CosFtz "cos.approx.ftz.f32" Special each, "d = cos(a), subnormals flushed to zero", (a: f32) -> f32 { libm::cos(f64::from(flush(a))) as f32 }
        Lg2 "lg2.approx.f32" Special each, "d = log2(a)", (a: f32) -> f32 { libm::log2(f64::from(a)) as f32 }
        Lg2Ftz "lg2.approx.ftz.f32" Special each, "d = log2(a), subnormals flushed to zero", (a: f32) -> f32 { libm::log2(f64::from(flush(a))) as f32 }
        Ex2 "ex2.approx.f32" Special each, "d = 2^a", (a: f32) -> f32 { libm::exp2(f64::from(a)) as f32 }
        Ex2Ftz "ex2.approx.ftz.f32" Special each, "d = 2^a, subnormals flushed to zero", (a: f32) -> f32 { flush(libm::exp2(f64::from(flush(a))) as f32) }
        Tanh "tanh.approx.f32" Special each, "d = tanh(a)", (a: f32) -> f32 { libm::tanh(f64::from(a)) as f32 }

        Abs32 "abs.f32" Float, "d = |a|", (a: f32) -> f32 { a.abs() }
        AbsFtz "abs.ftz.f32" Float, "d = |a|, subnormals flushed to zero", (a: f32) -> f32 { flush(a).abs() }
        Abs64 "abs.f64" Float, "d = |a|", (a: f64) -> f64 { a.abs() }
        Neg32 "neg.f32" Float, "d = -a", (a: f32) -> f32 { -a }
        NegFtz "neg.ftz.f32" Float, "d = -a, subnormals flushed to zero", (a: f32) -> f32 { -flush(a) }
        Neg64 "neg.f64" Float, "d = -a", (a: f64) -> f64 { -a }
        Min32 "min.f32" Comparison, "d = the smaller number; -0 < +0", (a: f32, b: f32) -> f32 { min32(a, b) }
        MinFtz "min.ftz.f32" Comparison, "d = the smaller number, subnormals flushed to zero", (a: f32, b: f32) -> f32 { min32(flush(a), flush(b)) }
        MinNan "min.NaN.f32" Comparison each, "d = the smaller number; NaN if either is a NaN", (a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { NAN32 } else { min32(a, b) } }
        MinFtzNan "min.ftz.NaN.f32" Comparison each, "d = the smaller number; NaN if either is a NaN, subnormals flushed to zero", (a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { NAN32 } else { min32(flush(a), flush(b)) } }
        Min64 "min.f64" Comparison, "d = the smaller number; -0 < +0", (a: f64, b: f64) -> f64 { min64(a, b) }
        Max32 "max.f32" Comparison, "d = the larger number; -0 < +0", (a: f32, b: f32) -> f32 { max32(a, b) }
        MaxFtz "max.ftz.f32" Comparison, "d = the larger number, subnormals flushed to zero", (a: f32, b: f32) -> f32 { max32(flush(a), flush(b)) }
        MaxNan "max.NaN.f32" Comparison each, "d = the larger number; NaN if either is a NaN", (a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { NAN32 } else { max32(a, b) } }
        MaxFtzNan "max.ftz.NaN.f32" Comparison each, "d = the larger number; NaN if either is a NaN, subnormals flushed to zero", (a: f32, b: f32) -> f32 { if a.is_nan() || b.is_nan() { NAN32 } else { max32(flush(a), flush(b)) } }
        Max64 "max.f64" Comparison, "d = the larger number; -0 < +0", (a: f64, b: f64) -> f64 { max64(a, b) }
        CopySign32 "copysign.f32" Float each, "d = b with the sign of a", (a: f32, b: f32) -> f32 { b.copysign(a) }
        CopySign64 "copysign.f64" Float each, "d = b with the sign of a", (a: f64, b: f64) -> f64 { b.copysign(a) }
    }
}

/// The canonical NaN of the PTX manual.
const NAN32: f32 = f32::from_bits(0x7FFF_FFFF);

/// Returns `value`, or zero with its sign if it is subnormal.
#[inline(always)]
pub(crate) fn flush(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7F80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Returns `value`, or zero with its sign if it is subnormal.
#[inline(always)]
fn flush64(value: f64) -> f64 {
    if value.is_subnormal() { 0.0_f64.copysign(value) } else { value }
}

/// Returns `value` with the low word of its bits cleared.
#[inline(always)]
fn high_word(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & 0xFFFF_FFFF_0000_0000)
}

#[inline(always)]
fn min32(a: f32, b: f32) -> f32 {
    let smaller = if a < b { a } else { b };
    let smaller = if a == b { f32::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    let smaller = if b.is_nan() { a } else { smaller };
    if a.is_nan() && b.is_nan() { NAN32 } else { smaller }
}

#[inline(always)]
fn max32(a: f32, b: f32) -> f32 {
    let larger = if a > b { a } else { b };
    let larger = if a == b { f32::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    let larger = if b.is_nan() { a } else { larger };
    if a.is_nan() && b.is_nan() { NAN32 } else { larger }
}

#[inline(always)]
fn min64(a: f64, b: f64) -> f64 {
    let smaller = if a < b { a } else { b };
    let smaller = if a == b { f64::from_bits(a.to_bits() | b.to_bits()) } else { smaller };
    if b.is_nan() { a } else { smaller }
}

#[inline(always)]
fn max64(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    let larger = if a == b { f64::from_bits(a.to_bits() & b.to_bits()) } else { larger };
    if b.is_nan() { a } else { larger }
}

/// Returns `a / b`, computed like `a * (1 / b)`, where the reciprocal of a large `b` is flushed to zero.
#[inline(always)]
fn divide_approximately(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits(0x7E80_0000);
    let quotient = a / b;
    if b.abs() > LARGE && b.abs() < f32::INFINITY { a * 0.0_f32.copysign(b) } else { quotient }
}

/// Returns `a * b + c` with one rounding.
#[inline(always)]
fn fma32<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { fma32_by_doubles(a, b, c) }
}

/// Returns `a * b + c` with one rounding. Without the instruction, it is computed with integers.
#[inline(always)]
fn fma64<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { libm::fma(a, b, c) }
}

/// `fma.rn.f32` for targets without such an instruction: x86-64 before AVX2, and WebAssembly, where a page may offer it.
pub(super) struct FusedByDoubles;

impl Execute for FusedByDoubles {
    fn execute(&self, places: &Places, registers: &mut Registers, warps: &[u8]) {
        #[cfg(target_family = "wasm")]
        if let Some(fused) = ::simd::Fused::detect() {
            let [to, sources @ .., _, _] = places;
            // One call for adjacent warps.
            for warps in warps.chunk_by(|one, next| one + 1 == *next) {
                let sources = sources.map(|rows| (rows.row(warps[0].into()), rows.stride as usize));
                fused.multiply_add(&mut registers.narrow, to.row(warps[0].into()), sources, warps.len());
            }
            return;
        }
        apply3_checked(registers, warps, places, fma32_in_doubt, fma32_by_doubles);
    }

    fn execute_lanes(&self, places: &Places, registers: &mut Registers, lanes: &Lanes) -> bool {
        Each(fma32_by_doubles as fn(f32, f32, f32) -> f32).execute_lanes(places, registers, lanes)
    }
}

/// Returns `a * b + c`, rounded to double and then to single precision, and whether the second rounding of a lane may differ from
/// that of the exact sum: if the double is halfway between two singles, or the result is subnormal or zero.
#[inline(always)]
fn fma32_in_doubt(a: [f32; CHUNK], b: [f32; CHUNK], c: [f32; CHUNK]) -> ([f32; CHUNK], bool) {
    /// The bits of a double that a single does not have, and of them that of a half.
    const LOST: u64 = (1 << 29) - 1;
    const HALF: u64 = 1 << 28;
    const EXPONENT: u32 = 0xFF << 23;
    let sums: [f64; CHUNK] = std::array::from_fn(|lane| f64::from(a[lane]) * f64::from(b[lane]) + f64::from(c[lane]));
    let results = sums.map(|sum| sum as f32);
    let mut halves = false;
    let mut small = false;
    for lane in 0..CHUNK {
        halves |= sums[lane].to_bits() & LOST == HALF;
        small |= results[lane].to_bits() & EXPONENT == 0;
    }
    (results, halves | small)
}

/// Returns `a * b + c` with one rounding. The product is exact in double precision. The sum is rounded to odd, so only the
/// rounding to single precision affects the result (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums:
/// proved algorithms using rounding to odd").
#[inline(always)]
pub(crate) fn fma32_by_doubles(a: f32, b: f32, c: f32) -> f32 {
    let product = f64::from(a) * f64::from(b);
    let addend = f64::from(c);
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let bits = sum.to_bits();
    // If the sum is inexact and even, its neighbor toward the exact value is odd.
    let adjust = error != 0.0 && bits & 1 == 0 && sum.is_finite();
    let away = (error > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if adjust { odd } else { bits }) as f32
}
