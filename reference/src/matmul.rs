//! Two square matrices, and their product in double precision.
//!
//! Entries are uniform in [−1, 1). A term of an element's sum is one product, which is rounded once, or not at all if the
//! addition is fused with it.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, Report, UNIT_ROUNDOFF, sum_tolerance};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// The most rows of which all are compared: n³ steps in double precision take seconds.
pub const ALL_ROWS: usize = 1 << 10;
/// The number of rows compared beyond that.
const SAMPLED_ROWS: usize = 1 << 8;

/// Roundings of a product, at most.
const ROUNDINGS: f64 = 1.0;

/// Two n × n matrices, with the expected rows of their product.
#[derive(Debug)]
pub struct Matrices {
    /// The number of rows and of columns.
    pub n: usize,
    /// The left factor, row by row.
    pub a: Vec<f32>,
    /// The right factor, row by row.
    pub b: Vec<f32>,
    /// The places of the product that are compared, in ascending order.
    sample: Vec<usize>,
    /// The expected value.
    expected: Vec<Expected>,
}

impl Inputs for Matrices {
    fn new(size: &Size) -> Self {
        let rows = if size.n <= ALL_ROWS { size.n } else { SAMPLED_ROWS };
        Self::with_sample(size, rows)
    }
}

impl Matrices {
    /// Returns the matrices of a size, of whose product this many rows are compared.
    #[must_use]
    pub fn with_sample(size: &Size, rows: usize) -> Self {
        let n = size.n;
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let [a, b] = [(); 2].map(|()| (0..n * n).map(|_| 2.0 * rng.random::<f32>() - 1.0).collect::<Vec<f32>>());
        let rows = sample(&mut rng, n, rows);
        let sample = rows.iter().flat_map(|row| row * n..(row + 1) * n).collect();
        let mut matrices = Self { n, a, b, sample, expected: Vec::new() };
        matrices.expected = rows.par_iter().flat_map_iter(|&row| matrices.expected_row(row)).collect();
        matrices
    }

    /// Returns the entries of a row of the left factor, each with the row of the right one that it multiplies.
    fn factors(&self, row: usize) -> impl Iterator<Item = (f32, &[f32])> {
        self.a[row * self.n..(row + 1) * self.n].iter().copied().zip(self.b.chunks_exact(self.n))
    }

    /// Returns a row of the product in double precision, under the bound of [`Expected::sum`].
    fn expected_row(&self, row: usize) -> Vec<Expected> {
        let mut expected = vec![Expected::default(); self.n];
        for (a, b) in self.factors(row) {
            for (expected, &b) in expected.iter_mut().zip(b) {
                let term = f64::from(a) * f64::from(b);
                expected.value += term;
                expected.magnitude += term.abs();
            }
        }
        let lost = self.lost_terms(row, &expected);
        for (expected, lost) in expected.iter_mut().zip(lost) {
            expected.tolerance = sum_tolerance(self.n, ROUNDINGS, expected.magnitude) + lost;
        }
        expected
    }

    /// Returns [`crate::verify::lost_terms`] of each element of a row.
    fn lost_terms(&self, row: usize, sums: &[Expected]) -> Vec<f64> {
        let units: Vec<f64> = sums.iter().map(|sum| UNIT_ROUNDOFF * sum.magnitude).collect();
        let mut lost = vec![0.0; self.n];
        for (a, b) in self.factors(row) {
            for ((lost, &unit), &b) in lost.iter_mut().zip(&units).zip(b) {
                let term = (f64::from(a) * f64::from(b)).abs();
                *lost += if term < 4.0 * unit { term.min(unit) } else { 0.0 };
            }
        }
        lost
    }

    /// Returns a row of the product as a plain CPU loop computes it, in single precision.
    fn row_f32(&self, row: usize) -> Vec<f32> {
        let mut sums = vec![0.0; self.n];
        for (a, b) in self.factors(row) {
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
        sums
    }

    /// Times the plain loop on this CPU.
    pub fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.n, self.n * self.n, "rows", |row| self.row_f32(row))
    }

    /// Compares a product, row by row without gaps, with the reference; requires the rows that are not compared to be
    /// written and finite.
    pub fn check(&self, product: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_sample(("product", "elements"), product, self.n * self.n, &self.sample, &self.expected);
        report
    }
}

#[cfg(test)]
mod tests;
