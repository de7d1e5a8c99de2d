//! Queries, keys and values of attention, and its outputs in double precision.
//!
//! The output of a query is Σ p v / Σ p over its keys, with p = e^(s − m), the score s = q · k / √d, and the largest score m. In
//! units of u = 2⁻²⁴, the error of a p is, relative to it, at most
//!
//! ```text
//! (λ √d + 6) Σ |q k| / √d + |s − m| + 2 + 3 r + 1
//! ```
//!
//! The parts are the sum of the score, its scaling, also by `rsqrtf` and before the difference (see [`crate::verify`]), the difference from m, the exponential, r
//! rescalings of an online sum, and the product with v; see [`crate::softmax`]. The two sums then have the bound of
//! [`crate::verify`], and the quotient has two roundings. A p below the smallest normal number may be taken for 0, as
//! `ex2.approx.ftz` does.
//!
//! Entries have eight significant bits, so bf16 represents them. Every eighth query is large: without subtracting m, the
//! exponentials of its scores would be infinite.

use crate::cpu::{CpuTimes, time_targets_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::sample::sample;
use crate::size::{Parameters, Size};
use crate::softmax::{EXPONENTIAL, RESCALINGS};
use crate::verify::{Expected, LAMBDA, LastWritten, Report, UNIT_ROUNDOFF, expected_in_rows, sum_tolerance};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// The options: heads, elements of a head, and whether a query leaves out the keys after it.
pub const OPTIONS: [&str; 3] = ["heads", "head-size", "causal"];

/// The most outputs, of a query each, of which all are compared, if their keys are as many.
const ALL_PAIRS: usize = 1 << 22;
/// The number of queries compared beyond that.
const SAMPLED_QUERIES: usize = 1 << 8;

/// The values of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// The number of heads.
    pub count: usize,
    /// The elements of a query, key or value of a head.
    pub size: usize,
    /// Whether a query leaves out the keys after it.
    pub is_causal: bool,
}

impl Heads {
    /// The default.
    pub const DEFAULT: Self = Self { count: 16, size: 64, is_causal: false };

    /// Returns the values of the options, or their defaults.
    #[must_use]
    pub fn from_parameters(parameters: &Parameters) -> Self {
        let value =
            |place: usize, default: usize| parameters.get(OPTIONS[place]).map_or(default, |value| value as usize);
        let Self { count, size, .. } = Self::DEFAULT;
        Self { count: value(0, count), size: value(1, size), is_causal: value(2, 0) == 1 }
    }

    /// Returns the number of pairs of a query and a key, of all heads, for n positions.
    #[must_use]
    pub fn pairs(&self, n: usize) -> f64 {
        let heads = self.count as f64;
        let n = n as f64;
        heads * if self.is_causal { n * (n + 1.0) / 2.0 } else { n * n }
    }
}

/// Queries, keys and values, with the expected outputs of some queries.
#[derive(Debug)]
pub struct Positions {
    /// The number of positions.
    pub n: usize,
    /// The heads.
    pub heads: Heads,
    /// The queries: head by head, position by position.
    pub q: Vec<f32>,
    /// The keys.
    pub k: Vec<f32>,
    /// The values.
    pub v: Vec<f32>,
    /// The queries whose outputs are compared, in ascending order of their places among those of all heads.
    queries: Vec<usize>,
    /// Their expected outputs, and how much one more rounding of each p changes them at most; only a comparison needs them.
    expected: OnceLock<Vec<(Expected, f64)>>,
    /// The same of the outputs that a sample of the blocks wrote.
    written: LastWritten<(Expected, f64)>,
}

impl Inputs for Positions {
    fn new(size: &Size) -> Self {
        let rows = size.n * Heads::from_parameters(&size.parameters).count;
        Self::with_sample(size, if rows * size.n <= ALL_PAIRS { rows } else { SAMPLED_QUERIES.min(rows) })
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let rows = self.heads.count * self.n;
        time_targets_of(rows, self.n * self.heads.size, "queries", |row| self.output_f32(row))
    }
}

/// Returns an entry in [−1, 1), a multiple of 2⁻⁷.
fn entry(rng: &mut ChaCha8Rng) -> f32 {
    f32::from(rng.random_range(-128_i16..128)) / 128.0
}

impl Positions {
    /// Returns the inputs of a size, of which the outputs of this many queries are compared.
    #[must_use]
    pub fn with_sample(size: &Size, queries: usize) -> Self {
        let n = size.n;
        let heads = Heads::from_parameters(&size.parameters);
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let rows = heads.count * n;
        let scale = |row: usize| if row % 8 == 3 { 128.0 } else { 8.0 };
        let q = (0..rows * heads.size).map(|place| scale(place / heads.size) * entry(&mut rng)).collect();
        let [k, v] = [(); 2].map(|()| (0..rows * heads.size).map(|_| entry(&mut rng)).collect());
        let queries = sample(&mut rng, rows, queries);
        Self { n, heads, q, k, v, queries, expected: OnceLock::new(), written: LastWritten::default() }
    }

    /// Returns the expected outputs of the queries that are compared, and the effect of one more rounding of each p.
    fn expected(&self) -> &[(Expected, f64)] {
        let output = |index: usize| self.expected_output(self.queries[index]);
        self.expected.get_or_init(|| parallel::map(self.queries.len(), output).concat())
    }

    /// Returns a query with its keys and values, given the place of the query among those of all heads.
    fn query(&self, row: usize) -> (&[f32], &[f32], &[f32]) {
        let size = self.heads.size;
        let head = row / self.n;
        let keys = if self.heads.is_causal { row % self.n + 1 } else { self.n };
        let range = head * self.n * size..(head * self.n + keys) * size;
        (&self.q[row * size..(row + 1) * size], &self.k[range.clone()], &self.v[range])
    }

    /// Returns the output of a query in double precision, under the bound of this module.
    fn expected_output(&self, row: usize) -> Vec<(Expected, f64)> {
        simd::vectorize!(self.expected_sums(row))
    }

    #[inline(always)]
    fn expected_sums(&self, row: usize) -> Vec<(Expected, f64)> {
        let size = self.heads.size;
        let (q, k, v) = self.query(row);
        let scale = 1.0 / (size as f64).sqrt();
        let scores: Vec<[f64; 2]> = k.chunks_exact(size).map(|k| score(q, k).map(|sum| sum * scale)).collect();
        let largest = scores.iter().map(|[score, _]| *score).fold(f64::NEG_INFINITY, f64::max);
        let of_score = LAMBDA * (size as f64).sqrt() + 6.0;
        let weights: Vec<[f64; 2]> = scores
            .iter()
            .map(|&[score, magnitude]| {
                let roundings = of_score * magnitude + (largest - score) + EXPONENTIAL + 3.0 * RESCALINGS + 1.0;
                let weight = (score - largest).exp();
                [weight, weight * roundings * UNIT_ROUNDOFF]
            })
            .collect();
        let (sum, error) = weights.iter().fold((0.0, 0.0), |(sum, error), [p, e]| (sum + p, error + e));
        // relative to the sum of the weights, which are positive
        let of_sum = error / sum + sum_tolerance(weights.len(), 0.0, 1.0) + lost_weights(&weights, sum);
        let mut outputs = vec![[0.0; 3]; size];
        for ([p, error], v) in weights.iter().zip(v.chunks_exact(size)) {
            for ([value, magnitude, wrong], &v) in outputs.iter_mut().zip(v) {
                let v = f64::from(v);
                *value += p * v;
                *magnitude += p * v.abs();
                *wrong += error * v.abs();
            }
        }
        let units: Vec<f64> = outputs.iter().map(|[_, magnitude, _]| UNIT_ROUNDOFF * magnitude).collect();
        let mut lost = vec![0.0; size];
        for ([p, _], v) in weights.iter().zip(v.chunks_exact(size)) {
            for ((lost, &unit), &v) in lost.iter_mut().zip(&units).zip(v) {
                let term = p * f64::from(v).abs();
                *lost += if term < 4.0 * unit { term.min(unit) } else { 0.0 };
            }
        }
        let flushed = weights.len() as f64 * f64::from(f32::MIN_POSITIVE);
        let output = |([value, magnitude, wrong], lost): ([f64; 3], f64)| {
            let numerator = wrong + sum_tolerance(weights.len(), 0.0, magnitude) + lost;
            let tolerance = numerator / sum + (of_sum + 2.0 * UNIT_ROUNDOFF) * value.abs() / sum + flushed;
            let expected = Expected { value: value / sum, magnitude: (magnitude / sum).max(flushed), tolerance };
            (expected, UNIT_ROUNDOFF * magnitude / sum)
        };
        outputs.into_iter().zip(lost).map(output).collect()
    }

    /// Returns the output of a query as a plain CPU loop computes it, in single precision.
    fn output_f32(&self, row: usize) -> Vec<f32> {
        let size = self.heads.size;
        let (q, k, v) = self.query(row);
        let scale = 1.0 / (size as f32).sqrt();
        let score = |k: &[f32]| scale * q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>();
        let scores: Vec<f32> = k.chunks_exact(size).map(score).collect();
        let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        let mut outputs = vec![0.0; size];
        for (score, v) in scores.iter().zip(v.chunks_exact(size)) {
            let weight = (score - largest).exp();
            sum += weight;
            outputs.iter_mut().zip(v).for_each(|(output, v)| *output += weight * v);
        }
        outputs.iter().map(|output| output / sum).collect()
    }

    /// Compares the outputs of all heads with the reference, if a kernel rounds each p by so many units of 2⁻²⁴ more; requires
    /// the outputs that are not compared to be written and finite.
    pub fn check(&self, outputs: &[f32], more_roundings: f64) -> Report {
        let expected = with_more(self.expected(), more_roundings);
        let mut report = Report::default();
        let size = self.heads.size;
        let sample: Vec<usize> = self.queries.iter().flat_map(|row| row * size..(row + 1) * size).collect();
        report.compare_sample(("outputs", "elements"), outputs, self.q.len(), &sample, &expected);
        report
    }

    /// Compares the elements of outputs that a sample of the blocks wrote, of which there must be `count`, as
    /// [`Positions::check`] does.
    pub fn check_written(&self, outputs: &[f32], more_roundings: f64, count: usize) -> Report {
        let mut report = Report::default();
        report.compare_written(("outputs", "elements"), outputs, count, |places| {
            let expect = || expected_in_rows(places, self.heads.size, |query| self.expected_output(query));
            with_more(&self.written.get(places, expect), more_roundings)
        });
        report
    }
}

/// Returns expectations for weights with this many roundings more, given the effect of one.
fn with_more(expected: &[(Expected, f64)], more_roundings: f64) -> Vec<Expected> {
    let more = |&(expected, unit): &(Expected, f64)| Expected {
        tolerance: expected.tolerance + more_roundings * unit,
        ..expected
    };
    expected.iter().map(more).collect()
}

/// Returns [`crate::verify::lost_terms`] of the sum of the weights, relative to it.
fn lost_weights(weights: &[[f64; 2]], sum: f64) -> f64 {
    let unit = UNIT_ROUNDOFF * sum;
    weights.iter().map(|[p, _]| if *p < 4.0 * unit { p.min(unit) } else { 0.0 }).sum::<f64>() / sum
}

/// Returns a sum of products, and that of their magnitudes.
fn score(q: &[f32], k: &[f32]) -> [f64; 2] {
    let products = q.iter().zip(k).map(|(&q, &k)| f64::from(q) * f64::from(k));
    products.fold([0.0, 0.0], |[sum, magnitude], product| [sum + product, magnitude + product.abs()])
}

#[cfg(test)]
mod tests;
