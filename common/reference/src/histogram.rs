//! Bytes, and how often each value occurs among them.
//!
//! A part of the bytes, which an option chooses, has the same value, and the others are uniform. All counts are exact, so the tolerance
//! is zero. There are at most 2³⁰ bytes, so a count fits 31 bits.

use crate::cpu::{CpuTimes, time_both_of};
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::{Parameters, Size};
use crate::verify::Report;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// The number of bins: one for each value of a byte.
pub const BINS: usize = 256;
/// The option for the bytes that are equal, in percent.
pub const SKEW: &str = "skew";
/// The value of these bytes. As a signed number it would be negative.
pub const FREQUENT: u8 = 200;

/// The bytes of a part, which has random numbers of its own.
const PART: usize = 1 << 16;
/// The bytes that a CPU counts when it is timed, about a hundredth of a second.
const TIMED: usize = 1 << 24;

/// Bytes of one size, seed and skew.
#[derive(Debug)]
pub struct Bytes {
    /// The bytes.
    pub data: Vec<u8>,
    /// The expected bins, which only a comparison needs.
    expected: OnceLock<Vec<i32>>,
}

/// Returns the percentage of the bytes that are equal.
#[must_use]
pub fn skew(parameters: &Parameters) -> u32 {
    parameters.get(SKEW).unwrap_or(0.0) as u32
}

impl Inputs for Bytes {
    fn new(size: &Size) -> Self {
        let skew = skew(&size.parameters);
        let mut data = vec![0; size.n];
        parallel::fill(&mut data, PART, |place, part| {
            let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
            rng.set_stream(place as u64);
            rng.fill(part);
            if skew > 0 {
                let mut draws = vec![0_u8; part.len()];
                rng.fill(&mut draws[..]);
                let chosen = part.iter_mut().zip(draws).filter(|(_, draw)| u32::from(*draw) * 100 < skew * 256);
                chosen.for_each(|(byte, _)| *byte = FREQUENT);
            }
        });
        Self { data, expected: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        let timed = &self.data[..TIMED.min(self.data.len())];
        time_both_of((timed.len(), self.data.len(), "bytes"), || count(timed), || count_parts(timed))
    }
}

/// Returns how often each value occurs.
fn count(bytes: &[u8]) -> Vec<i32> {
    let mut bins = vec![0; BINS];
    bytes.iter().for_each(|&byte| bins[usize::from(byte)] += 1);
    bins
}

/// Returns the same, counted by all threads.
fn count_parts(bytes: &[u8]) -> Vec<i32> {
    const LENGTH: usize = 1 << 20;
    let parts = parallel::map(bytes.len().div_ceil(LENGTH), |part| {
        count(&bytes[part * LENGTH..bytes.len().min((part + 1) * LENGTH)])
    });
    parts.iter().fold(vec![0; BINS], |sum, part| sum.iter().zip(part).map(|(one, other)| one + other).collect())
}

impl Bytes {
    fn expected(&self) -> &[i32] {
        self.expected.get_or_init(|| count_parts(&self.data))
    }

    /// Compares the bins, which must be equal to those of the reference.
    pub fn check(&self, bins: &[i32]) -> Report {
        let mut report = Report::default();
        report.compare_integers("bins", bins, self.expected());
        report
    }
}

#[cfg(test)]
mod tests;
