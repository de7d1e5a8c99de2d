//! The dot products of a tensor core, as far as their arithmetic is known.
//!
//! Products are exact. The products and the old sum are aligned to the largest exponent, truncated a few bits below the last bit
//! of a single, added, and truncated to a single. Nothing is rounded to nearest. Fasi, Higham, Mikaitis and Pranesh (2021,
//! "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330) and Li and others (2024, "FTTN") measured this on V100, A100 and
//! H100, which differ in the number of extra bits, and in the number of products that are added at once. Here, all products of
//! an instruction are added at once, with the extra bits of an H100. NVIDIA documents neither, so the last bits may differ
//! from the hardware. An H200 returned these bits for all products of a warpgroup that were compared (`tests/all/warpgroup.rs`).
//! Subnormal numbers are not flushed. NaNs, infinities and overflow follow IEEE 754.

use super::direction::Rounding;
use super::half::Format;
use super::matrix::Factor;
use super::rounding::round_to_single;
use crate::ground::lanes::WARP_SIZE;
use crate::vector::simd::Task;

/// The number of bits that are kept below the last bit of a single with the largest exponent.
const BITS_BELOW: i32 = 2;

/// The number of fraction bits of a single.
const FRACTION_BITS: i32 = 23;

/// The exponent of a zero. That of a product with one is below all others, too.
const NOTHING: i32 = -1 << 20;

/// Independent partial sums, so that the compiler can use vector instructions. The terms that are added are integers, so that any order
/// yields the same bits.
const LANES: usize = 4;

/// The canonical NaN of the PTX manual.
const NAN: f32 = f32::from_bits(0x7FFF_FFFF);

/// A factor or the old sum. A double represents all their products.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    value: f64,
    /// The exponent of the leading bit, or the least exponent of the type for a subnormal number, or [`NOTHING`].
    exponent: i32,
}

impl Default for Term {
    fn default() -> Self {
        Self { value: 0.0, exponent: NOTHING }
    }
}

impl Term {
    /// Returns the factor in the low bits of a register.
    pub(crate) fn factor(factor: Factor, bits: u32) -> Self {
        match factor {
            Factor::Tf32 => Self::new(f32::from_bits(bits & !0x1FFF).into(), -126),
            Factor::F16 => Self::new(Format::F16.decode(bits as u16), -14),
            Factor::Bf16 => Self::new(Format::Bf16.decode(bits as u16), -126),
        }
    }

    /// Returns a single as a term.
    pub(crate) fn single(value: f32) -> Self {
        Self::new(value.into(), -126)
    }

    /// Returns a value of a type, given the type's least exponent. That of a NaN or an infinity has no meaning.
    fn new(value: f64, least: i32) -> Self {
        let exponent = ((value.to_bits() >> 52 & 0x7FF) as i32 - 1023).max(least);
        Self { value, exponent: if value == 0.0 { NOTHING } else { exponent } }
    }
}

/// The most products of an instruction.
const MOST: usize = 16;

/// A row of A or a column of B, followed by zeros, in the order of vector instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    values: [f64; MOST],
    exponents: [i32; MOST],
}

impl Line {
    /// Returns at most 16 terms as a line.
    pub(crate) fn new(terms: &[Term]) -> Self {
        let term = |index: usize| terms.get(index).copied().unwrap_or_default();
        Self {
            values: std::array::from_fn(|index| term(index).value),
            exponents: std::array::from_fn(|index| term(index).exponent),
        }
    }
}

/// The products of lines, each added to a word of a row of lanes.
pub(crate) struct Dots<'a, P> {
    /// The words of each lane by register: singles.
    pub(crate) sums: &'a mut [[u32; WARP_SIZE]],
    /// Whether the old words are added.
    pub(crate) adds: bool,
    /// The rows of A.
    pub(crate) rows: &'a [Line],
    /// The columns of B.
    pub(crate) columns: &'a [Line],
    /// Returns row and column of a lane's register.
    pub(crate) place: P,
}

impl<P: Fn(usize, usize) -> (usize, usize)> Task for Dots<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        for (register, sums) in self.sums.iter_mut().enumerate() {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (row, column) = (self.place)(lane, register);
                let old = Term::single(if self.adds { f32::from_bits(*sum) } else { 0.0 });
                *sum = dot::<FMA>(old, &self.rows[row], &self.columns[column]).to_bits();
            }
        }
    }
}

/// Returns the sum of `old` and the products of two lines.
#[inline(always)]
fn dot<const FMA: bool>(old: Term, a: &Line, b: &Line) -> f32 {
    let mut products = [0.0; MOST];
    let mut largest = [old.exponent; LANES];
    let mut magnitudes = [0.0; LANES];
    for group in 0..MOST / LANES {
        for lane in 0..LANES {
            let index = LANES * group + lane;
            let product = a.values[index] * b.values[index];
            products[index] = product;
            magnitudes[lane] += product.abs();
            largest[lane] = largest[lane].max(a.exponents[index].wrapping_add(b.exponents[index]));
        }
    }
    let largest = largest[0].max(largest[1]).max(largest[2].max(largest[3]));
    let magnitude = summed(magnitudes) + old.value.abs();
    if !magnitude.is_finite() {
        return not_finite(old, &products);
    }
    if largest < NOTHING / 2 {
        return 0.0;
    }
    let unit = largest - FRACTION_BITS - BITS_BELOW;
    let per_unit = power_of_two(-unit);
    let mut sums = [truncated::<FMA>(old.value * per_unit), 0.0, 0.0, 0.0];
    for group in 0..MOST / LANES {
        for lane in 0..LANES {
            sums[lane] += truncated::<FMA>(products[LANES * group + lane] * per_unit);
        }
    }
    to_single(summed(sums) * power_of_two(unit))
}

/// Returns a sum of which a term is a NaN or an infinity.
#[cold]
fn not_finite(old: Term, products: &[f64]) -> f32 {
    let sum = products.iter().fold(old.value, |sum, product| sum + product) as f32;
    if sum.is_nan() { NAN } else { sum }
}

/// Returns a sum truncated to a single. From the largest single on, it is rounded as others do.
#[inline(always)]
fn to_single(sum: f64) -> f32 {
    /// The bits of a fraction that a single does not have.
    const LOST: u64 = (1 << (52 - FRACTION_BITS)) - 1;
    let magnitude = sum.abs();
    let is_normal = (power_of_two(-126)..power_of_two(128)).contains(&magnitude);
    if is_normal { f64::from_bits(sum.to_bits() & !LOST) as f32 } else { to_other_single(sum) }
}

/// [`to_single`] of a sum that is zero, subnormal or too large.
#[cold]
fn to_other_single(sum: f64) -> f32 {
    if sum.abs() >= power_of_two(128) { sum as f32 } else { round_to_single(sum, 0.0, Rounding::Zero) }
}

#[inline(always)]
fn summed([one, two, three, four]: [f64; LANES]) -> f64 {
    (one + two) + (three + four)
}

/// Returns a value below `2^51` without its fraction. Without the instructions that come with `FMA`, `f64::trunc` calls a function.
#[inline(always)]
fn truncated<const FMA: bool>(value: f64) -> f64 {
    /// Doubles from here on are integers.
    const WHOLE: f64 = (1_u64 << 52) as f64;
    if FMA {
        return value.trunc();
    }
    let magnitude = value.abs();
    let rounded = (magnitude + WHOLE) - WHOLE;
    let below = if rounded > magnitude { rounded - 1.0 } else { rounded };
    below.copysign(value)
}

/// Returns the sum of [`dot`], rounded to the nearest half, as its bits. An H200 returned these bits for all 10,240 sums that
/// were recorded (`tests/hardware/fragments.json`).
pub(crate) fn dot_in_half(old: Term, a: &Line, b: &Line) -> u32 {
    Format::F16.encode(dot::<false>(old, a, b).into(), Rounding::Nearest).into()
}

/// Returns `2^exponent`, for an exponent of -1022 to 1023. `powi` calls a function that multiplies.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
