//! Two square matrices, and their product in double precision.
//!
//! Entries are uniform in [−1, 1), as numbers of a [`Precision`]. A term of an element's sum is one product.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, LAMBDA, Report, UNIT_ROUNDOFF, sum_tolerance};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
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

/// The sum of an element, and what its bounds depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// The sum in double precision.
    value: f64,
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
    /// The rows of the product that are compared, in ascending order.
    rows: Vec<usize>,
    /// Their expected elements, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
    precision: PhantomData<P>,
}

impl<P: Precision> Inputs for Matrices<P> {
    fn new(size: &Size) -> Self {
        let rows = if size.n <= ALL_ROWS { size.n } else { SAMPLED_ROWS };
        Self::with_sample(size, rows)
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.n, self.n * self.n, "rows", |row| self.row_f32(row))
    }
}

impl<P: Precision> Matrices<P> {
    /// Returns the matrices of a size, of whose product this many rows are compared.
    #[must_use]
    pub fn with_sample(size: &Size, rows: usize) -> Self {
        let n = size.n;
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let mut entry = |_| P::round(2.0 * rng.random::<f32>() - 1.0);
        let [a, b] = [(); 2].map(|()| (0..n * n).map(&mut entry).collect::<Vec<f32>>());
        let rows = sample(&mut rng, n, rows);
        Self { n, a, b, rows, expected: OnceLock::new(), precision: PhantomData }
    }

    /// Returns the expected elements of the rows that are compared.
    fn expected(&self) -> &[Expected] {
        self.expected
            .get_or_init(|| parallel::map(self.rows.len(), |index| self.expected_row(self.rows[index])).concat())
    }

    /// Returns the entries of a row of the left factor, each with the row of the right one that it multiplies.
    fn factors(&self, row: usize) -> impl Iterator<Item = (f32, &[f32])> {
        self.a[row * self.n..(row + 1) * self.n].iter().copied().zip(self.b.chunks_exact(self.n))
    }

    /// Returns a row of the product in double precision, under the bound of the precision.
    fn expected_row(&self, row: usize) -> Vec<Expected> {
        let mut sums = vec![Sum::default(); self.n];
        for (a, b) in self.factors(row) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                let term = f64::from(a) * f64::from(b);
                sum.value += term;
                sum.magnitude += term.abs();
                sum.squares += term * term;
            }
        }
        self.add_lost_terms(row, &mut sums);
        let expected = |sum: &Sum| {
            let Sum { value, magnitude, .. } = *sum;
            Expected { value, magnitude, tolerance: P::tolerance(sum, self.n) }
        };
        sums.iter().map(expected).collect()
    }

    /// Adds [`Sum::lost`] of each element of a row.
    fn add_lost_terms(&self, row: usize, sums: &mut [Sum]) {
        for (a, b) in self.factors(row) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                let unit = UNIT_ROUNDOFF * sum.magnitude;
                let term = (f64::from(a) * f64::from(b)).abs();
                sum.lost += if term < 4.0 * unit { term.min(unit) } else { 0.0 };
            }
        }
    }

    /// Returns a row of the product as a plain CPU loop computes it, in single precision.
    fn row_f32(&self, row: usize) -> Vec<f32> {
        let mut sums = vec![0.0; self.n];
        for (a, b) in self.factors(row) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
        sums
    }

    /// Compares a product, row by row without gaps, with the reference; requires the rows that are not compared to be
    /// written and finite.
    pub fn check(&self, product: &[f32]) -> Report {
        let mut report = Report::default();
        let n = self.n;
        let sample: Vec<usize> = self.rows.iter().flat_map(|row| row * n..(row + 1) * n).collect();
        report.compare_sample(("product", "elements"), product, n * n, &sample, self.expected());
        report
    }
}

#[cfg(test)]
mod tests;
