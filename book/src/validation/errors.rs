//! The errors of estimates, of kernels and of launches alike.

use common::format::{DASH, percent};
use predict::{Limiter, RunEstimate, Way};
use serde::{Deserialize, Serialize};

/// The ratio of two measured times from which on their order counts.
pub(super) const APART: f64 = 1.25;

/// The estimate of a run, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// The time.
    pub ns: u64,
    /// The band.
    pub band_ns: (u64, u64),
    /// The limiter.
    pub limiter: Limiter,
    /// Whether it is from machine code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_followed: bool,
}

impl Estimated {
    /// Returns the times of an estimate.
    pub fn new(estimate: &RunEstimate) -> Self {
        let &RunEstimate { nanoseconds: ns, band: band_ns, limiter, way, .. } = estimate;
        Self { ns, band_ns, limiter, is_followed: way == Way::MachineCode }
    }
}

/// A measured launch with its estimate.
pub(super) trait Judged {
    /// Returns the measured time in nanoseconds.
    fn measured_ns(&self) -> u64;

    /// Returns the estimate; `None` if there is none.
    fn estimated(&self) -> Option<&Estimated>;

    /// Returns whether the order of both times counts: those of one problem.
    fn is_like(&self, other: &Self) -> bool;

    /// Returns the estimated time in nanoseconds.
    fn ns(&self) -> Option<f64> {
        self.estimated().map(|estimate| estimate.ns as f64)
    }

    /// Returns the estimate relative to the measurement, less one.
    fn error(&self) -> Option<f64> {
        Some(self.ns()? / self.measured_ns() as f64 - 1.0)
    }

    /// Returns the errors of two guesses of another launch's time: that it is this one's, and that this one's is multiplied by the
    /// ratio of the estimates.
    fn guesses(&self, other: &Self) -> Option<[f64; 2]> {
        let known = self.measured_ns() as f64;
        let ratio = other.ns()? / self.ns()?;
        Some([known, known * ratio].map(|guess| (guess / other.measured_ns() as f64 - 1.0).abs()))
    }

    fn is_in_band(&self) -> bool {
        let holds = |estimate: &Estimated| (estimate.band_ns.0..=estimate.band_ns.1).contains(&self.measured_ns());
        self.estimated().is_some_and(holds)
    }
}

/// Returns the number of pairs that are alike and in the right order, and of all such pairs whose times are apart.
pub(super) fn order<T: Judged>(all: &[T]) -> (usize, usize) {
    let mut right = 0;
    let mut pairs = 0;
    for (index, one) in all.iter().enumerate() {
        for other in all[..index].iter().filter(|other| one.is_like(other)) {
            let (Some(a), Some(b)) = (one.ns(), other.ns()) else { continue };
            let measured = one.measured_ns() as f64 / other.measured_ns() as f64;
            if measured.max(1.0 / measured) >= APART {
                pairs += 1;
                right += usize::from((a > b) == (measured > 1.0));
            }
        }
    }
    (right, pairs)
}

/// The end of the name of estimates from machine code.
pub(super) const MACHINE_CODE: &str = "-machine-code";

/// Splits the name of estimates into that of the kernels or launches, and the way.
pub(super) fn split_way(name: &str) -> (&str, Way) {
    name.strip_suffix(MACHINE_CODE).map_or((name, Way::Ptx), |of| (of, Way::MachineCode))
}

pub(super) fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

pub(super) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Returns the mean as a percentage; a dash if there is nothing of which to take it.
pub(super) fn mean_percent(numbers: &[f64]) -> String {
    if numbers.is_empty() { DASH.into() } else { percent(mean(numbers)) }
}

pub(super) fn median(sorted: &[f64]) -> f64 {
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}
