//! A grid of temperatures, and two steps of the heat equation in double precision.
//!
//! A step moves each cell toward its four neighbors, u' = u + r (above + below + left + right − 4 u), where r is [`RATE`]. The cells of
//! the border keep their values. As r ≤ 1/4, u' is a mean of five cells, so all values stay in [0, 1].
//!
//! The bound, with ε = 2⁻²⁴: the sum of two neighbors is at most 2, and is rounded by 2 ε at most; that of four by 4 ε; the difference,
//! which is at most 4, by 4 ε. Two sums of two included, that is 12 ε, and r times it 2.4 ε. The product with r is at most 0.8 and is
//! rounded by 0.8 ε, if it is not fused, and the last sum by ε. Together that is below `ROUNDINGS` ε. The next step takes a mean of
//! such errors, and adds as many of its own. A kernel may add in another order: the bound of each sum is that of its magnitude.

use crate::cpu::{CpuTimes, time_both_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::Size;
use crate::verify::{Expected, Report, UNIT_ROUNDOFF, expected_in_rows};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::sync::OnceLock;

/// The share of a neighbor in a step. At more than a quarter, the differences of neighbors would grow.
pub const RATE: f32 = 0.2;
/// The steps of a run.
pub const STEPS: u32 = 2;
/// The largest error of a step, in units of 2⁻²⁴.
const ROUNDINGS: f64 = 5.0;

/// The most cells of which all are compared.
const ALL_CELLS: usize = 1 << 20;
/// The number of rows compared beyond that, besides the first and the last.
const SAMPLED_ROWS: usize = 1 << 8;
/// The most cells that the loop on the CPU updates, less than a tenth of a second for one thread; beyond that, its time is scaled.
const MAX_TIMED: usize = 1 << 24;

/// A square grid, with its cells after two steps.
#[derive(Debug)]
pub struct Plate {
    /// The number of rows and of columns.
    pub n: usize,
    /// The cells, row by row, each uniform in [0, 1).
    pub cells: Vec<f32>,
    /// The places that are compared, in ascending order.
    compared: Vec<usize>,
    /// The expected cells there, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
}

impl Inputs for Plate {
    fn new(size: &Size) -> Self {
        let n = size.n;
        let mut cells = vec![0.0; n * n];
        parallel::fill(&mut cells, n, |row, cells| {
            let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
            rng.set_stream(row as u64);
            cells.iter_mut().for_each(|cell| *cell = rng.random());
        });
        let mut rows: Vec<usize> = (0..n).collect();
        if n * n > ALL_CELLS {
            rows = sample(&mut ChaCha8Rng::seed_from_u64(size.seed), n, SAMPLED_ROWS);
            rows.extend([0, n - 1]);
            rows.sort_unstable();
            rows.dedup();
        }
        let compared = rows.into_iter().flat_map(|row| row * n..(row + 1) * n).collect();
        Self { n, cells, compared, expected: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let rows = (MAX_TIMED / self.n).clamp(1, self.n);
        let mut outputs = [(); 2].map(|()| vec![0.0; rows * self.n]);
        let [serial, parallel] = &mut outputs;
        let step = |(row, to): (usize, &mut [f32])| self.step(row, to);
        let all = || {
            serial.chunks_mut(self.n).enumerate().for_each(step);
            serial
        };
        let all_at_once = || {
            parallel.par_chunks_mut(self.n).enumerate().for_each(step);
            parallel
        };
        time_both_of((rows, self.n * STEPS as usize, "rows"), all, all_at_once)
    }
}

impl Plate {
    /// Returns the cells of a row.
    fn row(&self, row: usize) -> &[f32] {
        &self.cells[row * self.n..(row + 1) * self.n]
    }

    /// Takes one step of a row as a plain CPU loop does, in single precision.
    fn step(&self, row: usize, to: &mut [f32]) {
        let here = self.row(row);
        to.copy_from_slice(here);
        if row == 0 || row == self.n - 1 {
            return;
        }
        let (above, below) = (self.row(row - 1), self.row(row + 1));
        for column in 1..self.n.max(1) - 1 {
            let neighbors = above[column] + below[column] + here[column - 1] + here[column + 1];
            to[column] = here[column] + RATE * (neighbors - 4.0 * here[column]);
        }
    }

    /// Returns a row in double precision after this many steps.
    fn after(&self, steps: u32, row: usize) -> Vec<f64> {
        if steps == 0 {
            return self.row(row).iter().copied().map(f64::from).collect();
        }
        let mut here = self.after(steps - 1, row);
        if row == 0 || row == self.n - 1 {
            return here;
        }
        let (above, below) = (self.after(steps - 1, row - 1), self.after(steps - 1, row + 1));
        let mut left = here[0];
        for column in 1..self.n - 1 {
            let old = here[column];
            let neighbors = above[column] + below[column] + left + here[column + 1];
            here[column] = old + f64::from(RATE) * (neighbors - 4.0 * old);
            left = old;
        }
        here
    }

    fn expected(&self) -> &[Expected] {
        let tolerance = f64::from(STEPS) * ROUNDINGS * UNIT_ROUNDOFF;
        let of_cell = |value: f64| Expected { value, magnitude: 1.0, tolerance };
        let of_row = |row: usize| self.after(STEPS, row).into_iter().map(of_cell).collect();
        self.expected.get_or_init(|| expected_in_rows(&self.compared, self.n, of_row))
    }

    /// Compares all cells after two steps with the reference; requires those that are not compared to be written and finite.
    pub fn check(&self, cells: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_sample(("output", "cells"), cells, self.cells.len(), &self.compared, self.expected());
        report
    }
}

#[cfg(test)]
mod tests;
