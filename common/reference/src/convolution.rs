//! An image, and its convolution with a small filter in double precision.
//!
//! A pixel of the output is the sum of the filter's taps times the pixels around it, those outside of the image being 0. A sum of m
//! products in single precision, in any order and fused or not, rounds each product at most m times: once itself, and in m − 1
//! additions. With ε = 2⁻²⁴, its error is at most (m + 1) ε Σ |products|, where the 1 is for terms of ε² and more.

use crate::cpu::{CpuTimes, time_both_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::{Parameters, Size};
use crate::verify::{Expected, Report, UNIT_ROUNDOFF, expected_in_rows};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::sync::OnceLock;

/// The option for the radius of the filter.
pub const RADIUS: &str = "radius";
/// The accepted radii, the default first.
pub const RADII: &[u32] = &[3, 1];
/// The most taps.
pub const MAX_TAPS: usize = 49;

/// The most pixels of which all are compared.
const ALL_PIXELS: usize = 1 << 18;
/// The number of rows compared beyond that, besides the first and the last.
const SAMPLED_ROWS: usize = 1 << 7;
/// The most products that the loop on the CPU adds up, less than a tenth of a second for one thread; beyond that, its time is scaled.
const MAX_TIMED: usize = 1 << 26;

/// A filter of (2 radius + 1)² taps.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// The distance of the outermost taps from the middle.
    pub radius: usize,
    /// The taps, row by row, and zeros. They are neither symmetric nor do they add up to 1: a pixel at a wrong place shows.
    pub taps: [f32; MAX_TAPS],
}

/// A square image with a filter, and its convolution.
#[derive(Debug)]
pub struct Image {
    /// The number of rows and of columns.
    pub n: usize,
    /// The pixels, row by row, each uniform in [−1, 1).
    pub pixels: Vec<f32>,
    /// The filter, with taps uniform in [−1, 1).
    pub filter: Filter,
    /// The places that are compared, in ascending order.
    compared: Vec<usize>,
    /// The expected pixels there, which only a comparison needs.
    expected: OnceLock<Vec<Expected>>,
}

/// Returns the radius of a size.
#[must_use]
pub fn radius(parameters: &Parameters) -> usize {
    parameters.get(RADIUS).map_or(RADII[0] as usize, |radius| radius as usize)
}

/// Fills values with numbers that are uniform in [−1, 1), from a stream of the seed's.
fn fill(seed: u64, stream: u64, values: &mut [f32]) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    values.iter_mut().for_each(|value| *value = 2.0 * rng.random::<f32>() - 1.0);
}

impl Inputs for Image {
    fn new(size: &Size) -> Self {
        let n = size.n;
        let radius = radius(&size.parameters);
        let mut taps = [0.0; MAX_TAPS];
        fill(size.seed, n as u64, &mut taps[..(2 * radius + 1).pow(2)]);
        let mut pixels = vec![0.0; n * n];
        parallel::fill(&mut pixels, n, |row, pixels| fill(size.seed, row as u64, pixels));
        let mut rows: Vec<usize> = (0..n).collect();
        if n * n > ALL_PIXELS {
            rows = sample(&mut ChaCha8Rng::seed_from_u64(size.seed), n, SAMPLED_ROWS);
            rows.extend([0, n - 1]);
            rows.sort_unstable();
            rows.dedup();
        }
        let compared = rows.into_iter().flat_map(|row| row * n..(row + 1) * n).collect();
        Self { n, pixels, filter: Filter { radius, taps }, compared, expected: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let taps = (2 * self.filter.radius + 1).pow(2);
        let rows = (MAX_TIMED / taps / self.n).clamp(1, self.n);
        let mut outputs = [(); 2].map(|()| vec![0.0; rows * self.n]);
        let [serial, parallel] = &mut outputs;
        let convolve = |(row, to): (usize, &mut [f32])| self.convolve(row, to);
        let all = || {
            serial.chunks_mut(self.n).enumerate().for_each(convolve);
            serial
        };
        let all_at_once = || {
            parallel.par_chunks_mut(self.n).enumerate().for_each(convolve);
            parallel
        };
        time_both_of((rows, self.n, "rows"), all, all_at_once)
    }
}

impl Image {
    /// Calls `add` with each tap that meets a part of a row of the output: the tap, the columns of the output, and the pixels that it
    /// is multiplied by.
    fn each_tap(&self, row: usize, mut add: impl FnMut(f32, std::ops::Range<usize>, &[f32])) {
        let Filter { radius, taps } = self.filter;
        let side = 2 * radius + 1;
        for (place, &tap) in taps[..side * side].iter().enumerate() {
            let (down, across) = (place / side, place % side);
            // the row of the input, if it is one
            let Some(from) = (row + down).checked_sub(radius).filter(|&from| from < self.n) else { continue };
            let first = radius.saturating_sub(across).min(self.n);
            let last = (self.n + radius).saturating_sub(across).clamp(first, self.n);
            let begin = from * self.n + first + across;
            if first < last {
                add(tap, first..last, &self.pixels[begin - radius..begin - radius + last - first]);
            }
        }
    }

    /// Convolves a row as a plain CPU loop does, in single precision.
    fn convolve(&self, row: usize, to: &mut [f32]) {
        to.fill(0.0);
        self.each_tap(row, |tap, columns, pixels| {
            to[columns].iter_mut().zip(pixels).for_each(|(to, pixel)| *to += tap * pixel);
        });
    }

    /// Returns the expected row in double precision, under the bound of this module.
    fn expected_row(&self, row: usize) -> Vec<Expected> {
        let mut sums = vec![Expected::default(); self.n];
        self.each_tap(row, |tap, columns, pixels| {
            for (sum, &pixel) in sums[columns].iter_mut().zip(pixels) {
                let product = f64::from(tap) * f64::from(pixel);
                sum.value += product;
                sum.magnitude += product.abs();
            }
        });
        let roundings = ((2 * self.filter.radius + 1).pow(2) + 1) as f64;
        sums.iter_mut().for_each(|sum| sum.tolerance = roundings * UNIT_ROUNDOFF * sum.magnitude);
        sums
    }

    fn expected(&self) -> &[Expected] {
        self.expected.get_or_init(|| expected_in_rows(&self.compared, self.n, |row| self.expected_row(row)))
    }

    /// Compares the output with the reference; requires pixels that are not compared to be written and finite.
    pub fn check(&self, output: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_sample(("output", "pixels"), output, self.pixels.len(), &self.compared, self.expected());
        report
    }
}

#[cfg(test)]
mod tests;
