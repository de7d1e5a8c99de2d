//! Two square matrices, and their product in double precision.
//!
//! Entries are uniform in [−1, 1), as numbers of a [`Precision`]. A term of an element's sum is one product.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, LAMBDA, LastWritten, Report, UNIT_ROUNDOFF, sum_tolerance};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// The most rows of which all are compared: n³ steps in double precision take seconds.
pub const ALL_ROWS: usize = 1 << 10;
/// The number of rows compared beyond that.
const SAMPLED_ROWS: usize = 1 << 8;

/// The numbers of the factors, and the sums that their products allow.
pub trait Precision: Debug + Send + Sync + 'static {
    /// Returns the nearest number of this precision.
    fn round(value: f32) -> f32;

    /// Returns the largest difference from the exact sum that rounding explains.
    fn tolerance(sum: &Sum, terms: usize) -> f64;
}

/// Numbers of single precision. A product is rounded once, or not at all if the addition is fused with it: the bound of
/// [`Expected::sum`] with one rounding per term.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// Numbers of 8 significant bits in 16 (bf16), whose products are exact in single precision.
///
/// Tensor cores add them *with at least single precision*, in any order and with unspecified rounding (PTX ISA,
/// `mma.m16n8k16`). Recorded ones truncate. So errors are not of mean zero, and each of the n additions of a sum is off by
/// up to 2 u of the partial sum that it yields, with u = 2⁻²⁴. Terms have either sign with the same probability, so
/// by Hoeffding's inequality a partial sum, of any terms, exceeds λ √(Σ term²) with a probability of at most
/// 2 exp(−λ² / 2); and it never exceeds Σ |term|. Together,
///
/// ```text
/// |computed − exact| ≤ 2 n u · min(λ √(Σ term²), Σ |term|)
/// ```
///
/// with λ = [`LAMBDA`], for which one sum in 10¹⁰ of 4096 terms may have a larger partial sum.
#[derive(Clone, Copy, Debug)]
pub struct Bf16;

impl Precision for Single {
    fn round(value: f32) -> f32 {
        value
    }

    fn tolerance(sum: &Sum, terms: usize) -> f64 {
        const ROUNDINGS: f64 = 1.0;
        sum_tolerance(terms, ROUNDINGS, sum.magnitude) + sum.lost
    }
}

/// Returns the high halves of the bits of numbers, which are the bits of those that bf16 represents.
#[must_use]
pub fn bf16_bits(values: &[f32]) -> Vec<u16> {
    values.iter().map(|value| (value.to_bits() >> 16) as u16).collect()
}

impl Precision for Bf16 {
    /// Returns the nearest number, of two the one with an even significand. The value must be finite.
    fn round(value: f32) -> f32 {
        let bits = value.to_bits();
        let is_odd = bits >> 16 & 1;
        f32::from_bits((bits + 0x7FFF + is_odd) & 0xFFFF_0000)
    }

    fn tolerance(sum: &Sum, terms: usize) -> f64 {
        2.0 * terms as f64 * UNIT_ROUNDOFF * sum.magnitude.min(LAMBDA * sum.squares.sqrt())
    }
}

/// What the bounds of an element's sum depend on.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Σ |term|.
    magnitude: f64,
    /// Σ term².
    squares: f64,
    /// [`crate::verify::lost_terms`].
    lost: f64,
}

/// Two n × n matrices, with the expected rows of their product.
#[derive(Debug)]
pub struct Matrices<P = Single> {
    /// The number of rows and of columns.
    pub n: usize,
    /// The left factor, row by row.
    pub a: Vec<f32>,
    /// The right factor, row by row.
    pub b: Vec<f32>,
    /// The factors as bits of bf16, which only a device needs.
    bits: OnceLock<[Vec<u16>; 2]>,
    /// The rows of the product that are compared, in ascending order.
    rows: Vec<usize>,
    /// Their expected elements, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
    /// The expected elements that a sample of the blocks wrote.
    written: LastWritten<Expected>,
    precision: PhantomData<P>,
}

impl<P: Precision> Inputs for Matrices<P> {
    fn new(size: &Size) -> Self {
        let rows = if size.n <= ALL_ROWS { size.n } else { SAMPLED_ROWS };
        Self::with_sample(size, rows)
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.n, self.n * self.n, "rows", |row| self.factors().row_f32(row))
    }
}

impl<P: Precision> Matrices<P> {
    /// Returns the matrices of a size, of whose product this many rows are compared.
    #[must_use]
    pub fn with_sample(size: &Size, rows: usize) -> Self {
        let n = size.n;
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let [a, b] = [(); 2].map(|()| random_entries(&mut rng, n * n, P::round));
        let rows = sample(&mut rng, n, rows);
        let (bits, expected, written) = Default::default();
        Self { n, a, b, bits, rows, expected, written, precision: PhantomData }
    }

    /// Returns the factors as the bits of bf16.
    pub fn bits(&self) -> &[Vec<u16>; 2] {
        self.bits.get_or_init(|| [&self.a, &self.b].map(|factor| bf16_bits(factor)))
    }

    fn factors(&self) -> Factors<'_> {
        Factors { n: self.n, a: &self.a, b: &self.b, tolerance: P::tolerance }
    }

    /// Compares a product, row by row without gaps, with the reference; requires the rows that are not compared to be
    /// written and finite.
    pub fn check(&self, product: &[f32]) -> Report {
        let mut report = Report::default();
        let n = self.n;
        let sample: Vec<usize> = self.rows.iter().flat_map(|row| row * n..(row + 1) * n).collect();
        report.compare_sample(
            ("product", "elements"),
            product,
            n * n,
            &sample,
            self.expected.get_or_init(|| self.factors().expected_rows(&self.rows)),
        );
        report
    }

    /// Compares the elements that a sample of the blocks wrote, of which there must be `count`.
    pub fn check_written(&self, product: &[f32], count: usize) -> Report {
        let mut report = Report::default();
        let expect = |places: &[usize]| self.written.get(places, || self.factors().expected_at(places)).to_vec();
        report.compare_written(("product", "elements"), product, count, expect);
        report
    }
}

/// Two factors, and the tolerance of their precision. Its functions are not generic, so that this crate's optimization applies to them
/// in every program.
#[derive(Clone, Copy)]
struct Factors<'a> {
    n: usize,
    a: &'a [f32],
    b: &'a [f32],
    tolerance: fn(&Sum, usize) -> f64,
}

/// Returns random entries of factors. Each takes one word of the generator, so that threads can begin at any of them.
fn random_entries(rng: &mut ChaCha8Rng, count: usize, round: fn(f32) -> f32) -> Vec<f32> {
    const PART: usize = 1 << 16;
    let (state, first) = (rng.serialize_state(), rng.get_word_pos());
    let mut entries = vec![0.0; count];
    parallel::fill(&mut entries, PART, |part, entries| {
        let mut rng = ChaCha8Rng::deserialize_state(&state);
        rng.set_word_pos(first + (part * PART) as u128);
        entries.iter_mut().for_each(|entry| *entry = round(2.0 * rng.random::<f32>() - 1.0));
    });
    rng.set_word_pos(first + count as u128);
    entries
}

impl Factors<'_> {
    /// Returns the expected elements of rows.
    fn expected_rows(self, rows: &[usize]) -> Vec<Expected> {
        parallel::map(rows.len(), |index| self.expected_part(rows[index], self.b, self.n)).concat()
    }

    /// Returns the expected elements at these places, in ascending order.
    fn expected_at(self, places: &[usize]) -> Vec<Expected> {
        let n = self.n;
        let parts: Vec<&[usize]> = places.chunk_by(|one, next| one + 1 == *next && next % n > 0).collect();
        let columns = |part: &[usize]| [part[0] % n, part.len()];
        // All rows of a tile read the same columns of the right factor, which fit a cache only if they are next to each other.
        let mut strips = BTreeMap::new();
        for part in &parts {
            let [first, width] = columns(part);
            let strip = || self.b.chunks_exact(n).flat_map(|row| &row[first..first + width]).copied().collect();
            strips.entry([first, width]).or_insert_with(strip);
        }
        let part = |index: usize| {
            let part = parts[index];
            let strip: &Vec<f32> = &strips[&columns(part)];
            self.expected_part(part[0] / n, strip, part.len())
        };
        parallel::map(parts.len(), part).concat()
    }

    /// Returns the entries of a row of the left factor, each with the row that it multiplies, of `width` columns of the right one.
    fn rows<'a>(&'a self, row: usize, right: &'a [f32], width: usize) -> impl Iterator<Item = (f32, &'a [f32])> {
        self.a[row * self.n..(row + 1) * self.n].iter().copied().zip(right.chunks_exact(width))
    }

    /// Returns the elements of a row of the product in these columns of the right factor, in double precision, under the bound of the
    /// precision.
    fn expected_part(self, row: usize, right: &[f32], width: usize) -> Vec<Expected> {
        let zeros = vec![0.0; width];
        let [mut values, mut magnitudes, mut squares, mut lost] = [(); 4].map(|()| zeros.clone());
        for (a, b) in self.rows(row, right, width) {
            let sums = values.iter_mut().zip(&mut magnitudes).zip(&mut squares);
            for (((value, magnitude), squares), &b) in sums.zip(b) {
                let term = f64::from(a) * f64::from(b);
                *value += term;
                *magnitude += term.abs();
                *squares += term * term;
            }
        }
        for (a, b) in self.rows(row, right, width) {
            for ((lost, &magnitude), &b) in lost.iter_mut().zip(&magnitudes).zip(b) {
                let unit = UNIT_ROUNDOFF * magnitude;
                let term = (f64::from(a) * f64::from(b)).abs();
                *lost += if term < 4.0 * unit { term.min(unit) } else { 0.0 };
            }
        }
        let expected = |column: usize| {
            let [value, magnitude] = [&values, &magnitudes].map(|sums| sums[column]);
            let sum = Sum { magnitude, squares: squares[column], lost: lost[column] };
            Expected { value, magnitude, tolerance: (self.tolerance)(&sum, self.n) }
        };
        (0..width).map(expected).collect()
    }

    /// Returns a row of the product as a plain CPU loop computes it, in single precision.
    fn row_f32(self, row: usize) -> Vec<f32> {
        let mut sums = vec![0.0; self.n];
        for (a, b) in self.rows(row, self.b, self.n) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
        sums
    }
}

#[cfg(test)]
mod tests;
