//! A matrix, and its transpose.
//!
//! The value of a word is its index in the matrix, so a misplaced word reveals its origin. Nothing is computed, so the
//! tolerance is zero.

use crate::cpu::{CpuTimes, time_both_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::Size;
use crate::verify::{Expected, Report};
use rayon::prelude::*;

/// The modulus of the indices: the largest prime below 2²⁴, up to which f32 represents all integers. A word from this many
/// places away would go unnoticed, but no row or tile of a matrix is as long.
const LARGEST_PRIME: usize = 16_777_213;

/// The words that a thread makes at a time.
const PART: usize = 1 << 16;

/// The most words that the loop on the CPU moves, a third of a second for one thread; beyond that, its time is scaled.
const MAX_TIMED: usize = 1 << 24;

/// Returns the word at a place of the matrix.
fn word(place: usize) -> f32 {
    (place % LARGEST_PRIME) as f32
}

/// A square matrix, the same for every seed.
#[derive(Debug)]
pub struct Matrix {
    /// The number of rows and of columns.
    pub n: usize,
    /// Its words, row by row.
    pub words: Vec<f32>,
}

impl Inputs for Matrix {
    fn new(size: &Size) -> Self {
        let mut words = vec![0.0; size.n * size.n];
        parallel::fill(&mut words, PART, |part, words| {
            (part * PART..).zip(words).for_each(|(place, to)| *to = word(place));
        });
        Self { n: size.n, words }
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let rows = (MAX_TIMED / self.n.max(1)).clamp(1, self.n);
        let mut outputs = [(); 2].map(|()| vec![0.0; rows * self.n]);
        let [serial, parallel] = &mut outputs;
        let turn = |(row, to): (usize, &mut [f32])| {
            to.iter_mut().zip(self.words[row..].iter().step_by(self.n)).for_each(|(to, &word)| *to = word);
        };
        let all = || {
            serial.chunks_mut(self.n).enumerate().for_each(turn);
            serial
        };
        let all_at_once = || {
            parallel.par_chunks_mut(self.n).enumerate().for_each(turn);
            parallel
        };
        time_both_of((rows, self.n, "rows"), all, all_at_once)
    }
}

impl Matrix {
    /// Returns the word at a place of the transpose. Not read from the matrix, whose columns lie far apart: that takes a hundred
    /// nanoseconds for each word of a large one.
    fn transpose(&self, place: usize) -> f32 {
        let row = place / self.n;
        let column = place % self.n;
        word(column * self.n + row)
    }

    /// Compares an output with the transpose.
    pub fn check(&self, output: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_exact("output", output, self.words.len(), |place| self.transpose(place));
        report
    }

    /// Compares the words that a sample of the blocks wrote, of which there must be `count`.
    pub fn check_written(&self, output: &[f32], count: usize) -> Report {
        let mut report = Report::default();
        let expected = |place: &usize| Expected::exact(self.transpose(*place).into());
        report.compare_written(("output", "words"), output, count, |places| places.iter().map(expected).collect());
        report
    }
}

#[cfg(test)]
mod tests;
