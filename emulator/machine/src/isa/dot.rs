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
use super::matrix::{COLUMNS, Factor, MAX_DEPTH, ROWS};
use super::rounding::round_to_single;
use crate::ground::lanes::WARP_SIZE;
use crate::vector::simd::Task;
use std::hint::black_box;

/// The number of fraction bits of a single.
const FRACTION_BITS: i32 = 23;

/// The number of fraction bits of a sum's terms: those of a single, the two that are kept below, and one that an alignment removes.
const BITS_OF_SUM: i32 = FRACTION_BITS + 2 + 1;

/// The number of fraction bits of a factor. A product has twice as many.
const BITS_OF_FACTOR: i32 = BITS_OF_SUM / 2;

/// The exponent of a zero. That of its product with a number is below all others, too.
const NOTHING: i32 = -1 << 20;

/// The exponent of a NaN or an infinity. That of its product with a zero is above those of numbers, too.
const OTHER: i32 = 1 << 22;

/// No exponent of a product of numbers is as small as one or as large as the other.
const EXPONENTS: [i32; 2] = [-300, 300];

/// The canonical NaN of the PTX manual.
const NAN: f32 = f32::from_bits(0x7FFF_FFFF);

/// A factor or the old sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The value in units of its last fraction bit, with its sign. For [`OTHER`] terms 1 or -1 stands for an infinity, and 0 for a NaN.
    significand: i32,
    /// The exponent of the leading bit, or the least exponent of the type for a subnormal number, or [`NOTHING`], or [`OTHER`].
    exponent: i32,
}

impl Default for Term {
    fn default() -> Self {
        Self { significand: 0, exponent: NOTHING }
    }
}

impl Term {
    /// Returns the factor in the low bits of a register.
    pub(crate) fn factor(factor: Factor, bits: u32) -> Self {
        match factor {
            Factor::Tf32 => Self::new(f32::from_bits(bits & !0x1FFF), -126, BITS_OF_FACTOR),
            Factor::F16 => Self::new(Format::F16.decode(bits as u16) as f32, -14, BITS_OF_FACTOR),
            Factor::Bf16 => Self::new(f32::from_bits(bits << 16), -126, BITS_OF_FACTOR),
        }
    }

    /// Returns a value of a type, given the type's least exponent, with so many fraction bits, which are enough.
    #[inline(always)]
    fn new(value: f32, least: i32, fraction_bits: i32) -> Self {
        let bits = value.to_bits() as i32;
        let fraction = bits & 0x7F_FFFF;
        let biased = bits >> FRACTION_BITS & 0xFF;
        let whole = if biased == 0 { fraction } else { fraction | 1 << FRACTION_BITS };
        let own = biased.max(1).wrapping_sub(127);
        let exponent = own.max(least);
        let more = exponent.wrapping_sub(own).wrapping_add(BITS_OF_SUM - fraction_bits);
        let magnitude = (whole << (BITS_OF_SUM - FRACTION_BITS)).wrapping_shr(more as u32);
        let magnitude = if biased == 255 { i32::from(fraction == 0) } else { magnitude };
        let significand = if bits < 0 { magnitude.wrapping_neg() } else { magnitude };
        let exponent = if whole == 0 { NOTHING } else { exponent };
        Self { significand, exponent: if biased == 255 { OTHER } else { exponent } }
    }

    /// Returns the value of a term with so many fraction bits.
    fn value(self, fraction_bits: i32) -> f64 {
        match (self.exponent, self.significand) {
            (OTHER, 0) => f64::NAN,
            (OTHER, sign) => f64::from(sign) * f64::INFINITY,
            (NOTHING, _) => 0.0,
            (exponent, significand) => f64::from(significand) * power_of_two(exponent - fraction_bits),
        }
    }
}

/// A row of A or a column of B, followed by zeros.
pub(crate) type Line = [Term; MAX_DEPTH];

/// Eight columns of B, in the order of vector instructions: for each row, the terms of all columns.
#[derive(Debug)]
pub(crate) struct Columns {
    significands: [[i32; COLUMNS]; MAX_DEPTH],
    exponents: [[i32; COLUMNS]; MAX_DEPTH],
}

impl Columns {
    /// Returns eight columns.
    pub(crate) fn new(columns: &[Line]) -> Self {
        let mut all = Self { significands: [[0; COLUMNS]; MAX_DEPTH], exponents: [[0; COLUMNS]; MAX_DEPTH] };
        for (column, terms) in columns.iter().enumerate() {
            for (row, term) in terms.iter().enumerate() {
                all.significands[row][column] = term.significand;
                all.exponents[row][column] = term.exponent;
            }
        }
        all
    }
}

/// The old sums of a row and eight columns: significands and exponents.
type Old = [[i32; COLUMNS]; 2];

/// The products of 16 rows and of columns, each added to a word of a row of lanes.
pub(crate) struct Dots<'a> {
    /// The words of each lane by register: singles, in four registers for eight columns.
    pub(crate) sums: &'a mut [[u32; WARP_SIZE]],
    /// Whether the old words are added.
    pub(crate) adds: bool,
    /// The rows of A.
    pub(crate) rows: &'a [Line],
    /// The columns of B.
    pub(crate) columns: &'a [Columns],
    /// The number of products of each sum.
    pub(crate) depth: usize,
}

impl Task for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        if !self.adds {
            self.sums.fill([0; WARP_SIZE]);
        }
        for (registers, columns) in self.sums.as_chunks_mut::<4>().0.iter_mut().zip(self.columns) {
            for (place, row) in self.rows.iter().enumerate().take(ROWS) {
                let two = &mut registers[2 * (place / 8)..][..2];
                let first = 4 * (place % 8);
                let mut old = Old::default();
                for column in 0..COLUMNS {
                    let term = Term::new(f32::from_bits(two[column % 2][first + column / 2]), -126, BITS_OF_SUM);
                    (old[0][column], old[1][column]) = (term.significand, term.exponent);
                }
                let sums = dots(&old, row, columns, self.depth);
                for column in 0..COLUMNS {
                    two[column % 2][first + column / 2] = sums[column].to_bits();
                }
            }
        }
    }
}

/// Returns the sums of old ones and of so many products of a row and eight columns.
/// The compiler would transpose the columns to use vector instructions for the places in them, unless it cannot tell these.
#[inline(always)]
fn dots(old: &Old, row: &Line, columns: &Columns, depth: usize) -> [f32; COLUMNS] {
    let mut largest = [0; COLUMNS];
    for column in 0..COLUMNS {
        largest[column] = old[1][column].max(EXPONENTS[0]);
    }
    for place in (0..depth).map(black_box) {
        for (largest, exponent) in largest.iter_mut().zip(&columns.exponents[place]) {
            *largest = (*largest).max(row[place].exponent.wrapping_add(*exponent));
        }
    }
    let mut sums = [0_i32; COLUMNS];
    for place in (0..depth).map(black_box) {
        for column in 0..COLUMNS {
            let product = row[place].significand.wrapping_mul(columns.significands[place][column]);
            let exponent = row[place].exponent.wrapping_add(columns.exponents[place][column]);
            sums[column] = sums[column].wrapping_add(aligned(product, exponent, largest[column]));
        }
    }
    let mut totals = [0.0; COLUMNS];
    for column in 0..COLUMNS {
        let old = aligned(old[0][column], old[1][column], largest[column]);
        let unit = power_of_two(largest[column].min(EXPONENTS[1]).wrapping_sub(BITS_OF_SUM - 1));
        totals[column] = (f64::from(sums[column]) + f64::from(old)) * unit;
    }
    let mut singles = to_singles(&totals);
    for column in 0..COLUMNS {
        if largest[column] > EXPONENTS[1] {
            let old = Term { significand: old[0][column], exponent: old[1][column] };
            singles[column] = not_finite(old, row, columns, column);
        }
    }
    singles
}

/// Returns a significand in units of the last bit that is kept with the largest exponent. Sixteen products fit 32 bits.
#[inline(always)]
fn aligned(significand: i32, exponent: i32, largest: i32) -> i32 {
    let shift = (largest.wrapping_sub(exponent).wrapping_add(1) as u32).min(31);
    let magnitude = significand.unsigned_abs().wrapping_shr(shift) as i32;
    if significand < 0 { magnitude.wrapping_neg() } else { magnitude }
}

/// Returns a sum of which a term is a NaN or an infinity.
#[cold]
fn not_finite(old: Term, row: &Line, columns: &Columns, column: usize) -> f32 {
    let b = columns.significands.iter().zip(&columns.exponents);
    let b = b.map(|(significands, exponents)| Term { significand: significands[column], exponent: exponents[column] });
    let products = row.iter().zip(b).map(|(a, b)| a.value(BITS_OF_FACTOR) * b.value(BITS_OF_FACTOR));
    let sum = products.fold(old.value(BITS_OF_SUM), |sum, product| sum + product) as f32;
    if sum.is_nan() { NAN } else { sum }
}

/// Returns sums truncated to singles. From the largest single on, they are rounded as others do.
#[inline(always)]
fn to_singles(sums: &[f64; COLUMNS]) -> [f32; COLUMNS] {
    /// The bits of a fraction that a single does not have.
    const LOST: u64 = (1 << (52 - FRACTION_BITS)) - 1;
    let mut are_normal = true;
    for sum in sums {
        are_normal &= (sum.abs() >= power_of_two(-126)) & (sum.abs() < power_of_two(128));
    }
    let mut singles = [0.0; COLUMNS];
    for column in 0..COLUMNS {
        singles[column] = f64::from_bits(sums[column].to_bits() & !LOST) as f32;
    }
    if are_normal { singles } else { sums.map(to_single) }
}

/// Returns a sum, which may be zero, subnormal or too large, truncated to a single.
#[cold]
fn to_single(sum: f64) -> f32 {
    if sum.abs() >= power_of_two(128) { sum as f32 } else { round_to_single(sum, 0.0, Rounding::Zero) }
}

/// Returns the sums of [`dots`] with old ones that are halves, rounded to the nearest half, as their bits. An H200 returned these bits for
/// all 10,240 sums that were recorded (`tests/hardware/fragments.json`).
pub(crate) fn dots_in_half(old: [u32; COLUMNS], row: &Line, columns: &Columns) -> [u32; COLUMNS] {
    let terms = old.map(|bits| Term::new(Format::F16.decode(bits as u16) as f32, -14, BITS_OF_SUM));
    let old = [terms.map(|term| term.significand), terms.map(|term| term.exponent)];
    dots(&old, row, columns, MAX_DEPTH).map(|sum| Format::F16.encode(sum.into(), Rounding::Nearest).into())
}

/// Returns `2^exponent`, for an exponent of -1022 to 1023. `powi` calls a function that multiplies.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from(exponent.wrapping_add(1023) as u32) << 52)
}
