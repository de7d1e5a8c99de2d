//! Rows of a matrix, and their softmax in double precision.
//!
//! y = e^(x − m) / Σ e^(x − m), with the largest element m of the row. With u = 2⁻²⁴, the relative error of one exponential is at
//! most (|x − m| + 2) u: the difference is rounded, and `expf` is off by one unit in the last place at most (CUDA C++
//! Programming Guide, mathematical functions), which is 2 u. A kernel that meets the largest element step by step multiplies
//! its sum by e^(m − m') when the largest element grows from m to m'. The differences of all steps of a term add up to
//! |x − m|, as if there were one step, and a step has three more roundings: those of its exponential and of its product.
//! The largest of k elements in random order changes about ln k times. [`RESCALINGS`] is far above that for every thread,
//! and for the tree of a block's 1024 threads.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::{Parameters, Size};
use crate::verify::{Expected, Report, UNIT_ROUNDOFF, expected_in_rows};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// The option for the number of columns.
pub const COLUMNS: &str = "width";
/// The default number of columns.
pub const DEFAULT_COLUMNS: usize = 1 << 10;
/// The most columns.
pub const MAX_COLUMNS: usize = 1 << 15;

/// The most elements of which all are compared.
const ALL_ELEMENTS: usize = 1 << 20;
/// The number of rows compared beyond that.
const SAMPLED_ROWS: usize = 1 << 8;

/// The large element of some rows, whose exponential relative to any other element is infinite.
const LARGE: f32 = 95.0;

/// Roundings of an exponential, apart from that of its argument.
pub const EXPONENTIAL: f64 = 2.0;
/// How often the largest element of a term's row grows after the term, at most.
pub const RESCALINGS: f64 = 32.0;
/// The largest error of an exponential and of a quotient below the smallest normal number.
const SUBNORMAL: f64 = 2.0 / (1u128 << 74) as f64 / (1u128 << 75) as f64;

/// A matrix of rows, with the softmax of some of them.
#[derive(Debug)]
pub struct Rows {
    /// The number of rows.
    pub n: usize,
    /// The number of columns.
    pub columns: usize,
    /// The elements, row by row.
    pub elements: Vec<f32>,
    /// The places that are compared, in ascending order.
    sample: Vec<usize>,
    /// The expected values, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
}

/// Returns the number of columns of a size.
#[must_use]
pub fn columns(parameters: &Parameters) -> usize {
    parameters.get(COLUMNS).map_or(DEFAULT_COLUMNS, |columns| columns as usize)
}

/// Fills a row. Without subtracting the largest element, all exponentials of every fourth row are infinite, and those of another
/// fourth are zero. Another fourth has one large element, whose exponential is infinite if another one is taken for the largest.
fn fill_row(rng: &mut ChaCha8Rng, row: usize, elements: &mut [f32]) {
    let middle = [0.0, 1000.0, -1000.0, 0.0][row % 4];
    elements.iter_mut().for_each(|element| *element = middle + 4.0 * (2.0 * rng.random::<f32>() - 1.0));
    if row % 4 == 3 {
        elements[place_of_large(row / 4, elements.len())] = LARGE;
    }
}

/// Returns the place of the large element of such a row, the `count`-th: in each eighth of a row in turn, and there at each
/// remainder modulo four.
fn place_of_large(count: usize, columns: usize) -> usize {
    let eighth = (columns / 8).max(1);
    (count % 8 * eighth + count / 8 * 33 % eighth) % columns
}

impl Inputs for Rows {
    fn new(size: &Size) -> Self {
        let all = size.n * columns(&size.parameters) <= ALL_ELEMENTS;
        Self::with_sample(size, if all { size.n } else { SAMPLED_ROWS.min(size.n) })
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_targets_of(self.n, self.columns, "rows", |row| softmax(self.row(row)))
    }
}

impl Rows {
    /// Returns the matrix of a size, of whose softmax this many rows are compared.
    #[must_use]
    pub fn with_sample(size: &Size, rows: usize) -> Self {
        let n = size.n;
        let columns = columns(&size.parameters);
        let mut elements = vec![0.0; n * columns];
        parallel::fill(&mut elements, columns, |place, row| {
            let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
            rng.set_stream(place as u64);
            fill_row(&mut rng, place, row);
        });
        let rows = sample(&mut ChaCha8Rng::seed_from_u64(size.seed), n, rows);
        let sample = rows.iter().flat_map(|row| row * columns..(row + 1) * columns).collect();
        Self { n, columns, elements, sample, expected: OnceLock::new() }
    }

    /// Returns the elements of a row.
    fn row(&self, row: usize) -> &[f32] {
        &self.elements[row * self.columns..(row + 1) * self.columns]
    }

    /// Returns the expected elements at these places, in ascending order.
    fn expected_at(&self, places: &[usize]) -> Vec<Expected> {
        expected_in_rows(places, self.columns, |row| expected(self.row(row)))
    }

    /// Compares the softmax of all rows with the reference; requires the rows that are not compared to be written and finite.
    pub fn check(&self, softmax: &[f32]) -> Report {
        let mut report = Report::default();
        let expected = self.expected.get_or_init(|| self.expected_at(&self.sample));
        let output = ("softmax", "elements");
        report.compare_sample(output, softmax, self.elements.len(), &self.sample, expected);
        report
    }

    /// Compares the elements that a sample of the blocks wrote, of which there must be `count`.
    pub fn check_written(&self, softmax: &[f32], count: usize) -> Report {
        let mut report = Report::default();
        report.compare_written(("softmax", "elements"), softmax, count, |places| self.expected_at(places));
        report
    }
}

/// Returns the softmax of a row as a plain CPU loop computes it, in single precision.
fn softmax(row: &[f32]) -> Vec<f32> {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = row.iter().map(|x| (x - largest).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Returns the softmax of a row in double precision, under the bound of this module.
fn expected(row: &[f32]) -> Vec<Expected> {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let differences: Vec<f64> = row.iter().map(|&x| f64::from(x) - f64::from(largest)).collect();
    let powers: Vec<f64> = differences.iter().map(|x| x.exp()).collect();
    let magnitudes: Vec<f32> = powers.iter().map(|&power| power as f32).collect();
    let sum: f64 = powers.iter().sum();
    // the roundings of a term of the sum, weighted with the terms
    let roundings: f64 = powers.iter().zip(&differences).map(|(power, x)| power / sum * roundings(*x)).sum();
    let sum = Expected::sum(sum, sum, &magnitudes, roundings + 3.0 * RESCALINGS);
    let of_element = |(power, x): (&f64, &f64)| {
        // the exponential, the reciprocal of the sum, the product
        let own = (roundings_of_quotient(*x)) * UNIT_ROUNDOFF + sum.tolerance / sum.value;
        let value = power / sum.value;
        // below the smallest normal number, errors are relative to that
        let magnitude = value.max(f64::from(f32::MIN_POSITIVE));
        Expected { value, magnitude, tolerance: value * own + SUBNORMAL }
    };
    powers.iter().zip(&differences).map(of_element).collect()
}

/// Returns the roundings of an exponential of this difference.
fn roundings(difference: f64) -> f64 {
    difference.abs() + EXPONENTIAL
}

/// Returns the roundings of an exponential that is divided by a sum, or multiplied by its reciprocal.
fn roundings_of_quotient(difference: f64) -> f64 {
    roundings(difference) + 2.0
}

#[cfg(test)]
mod tests;
