//! The comparison of results with their reference.

use super::bound::{Expected, POISON_BITS};
use super::failure::Failure;
use super::recording::record;
use std::collections::BTreeMap;

/// The result of comparisons. Failures of several comparisons add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The number of wrong values and broken laws.
    pub failed: usize,
    /// The first few of them, in full.
    pub examples: Vec<Failure>,
    /// The number of values compared.
    pub compared: usize,
    /// The largest difference, relative to the magnitude of the value's terms.
    pub max_relative_error: f64,
    /// The largest difference, relative to its tolerance; at most 1 if all pass.
    pub worst_share_of_tolerance: f64,
    /// The size of the sample, if not all values were compared.
    pub sample: Option<Sample>,
    /// Other measurements of the results, by their names in records.
    pub measured: BTreeMap<&'static str, f64>,
}

/// A part of the values of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The number of values compared with the reference.
    pub compared: usize,
    /// The number of all values; the others are only required to be written and finite.
    pub of: usize,
    /// The unit of the values, in the plural.
    pub unit: &'static str,
}

/// The number of failures kept in full.
pub(super) const EXAMPLES: usize = 4;

impl Report {
    /// Returns whether all results are right, and at least one was compared.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed == 0 && self.compared > 0
    }

    /// Adds a failure.
    pub fn fail(&mut self, failure: Failure) {
        self.failed += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(failure);
        }
    }

    /// Compares an output of floats, value by value.
    pub fn compare(&mut self, output: &str, got: &[f32], expected: &[Expected]) {
        self.compare_each(output, got, expected.iter().copied());
    }

    /// Compares as [`Report::compare`] does, with expectations that are computed one by one.
    pub fn compare_each(&mut self, output: &str, got: &[f32], expected: impl ExactSizeIterator<Item = Expected>) {
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, expected)) in got.iter().zip(expected).enumerate() {
            self.compare_value(output, index, got, &expected);
        }
    }

    /// Returns the value if it is written and finite, and else adds a failure.
    pub(super) fn require_finite(&mut self, output: &str, index: usize, got: f32) -> Option<f64> {
        let value = f64::from(got);
        let output = || output.to_owned();
        if got.to_bits() == POISON_BITS {
            self.fail(Failure::Unwritten { output: output(), index });
        } else if !value.is_finite() {
            self.fail(Failure::NotFinite { output: output(), index, got: value });
        } else {
            return Some(value);
        }
        None
    }

    pub(super) fn compare_value(&mut self, output: &str, index: usize, got: f32, expected: &Expected) {
        self.compared += 1;
        record(output, got.to_bits(), false, *expected);
        let Some(value) = self.require_finite(output, index, got) else { return };
        let difference = (value - expected.value).abs();
        self.note_error(difference, expected);
        let within = difference <= expected.tolerance;
        if !within {
            let Expected { value: expected, tolerance, .. } = *expected;
            self.fail(Failure::TooFar { output: output.into(), index, expected, got: value, tolerance });
        }
    }

    pub(super) fn note_error(&mut self, difference: f64, expected: &Expected) {
        if difference > 0.0 {
            self.max_relative_error = self.max_relative_error.max(difference / expected.magnitude);
            self.worst_share_of_tolerance = self.worst_share_of_tolerance.max(difference / expected.tolerance);
        }
    }

    /// Adds the results of another comparison.
    pub fn add(&mut self, other: Self) {
        self.failed += other.failed;
        self.compared += other.compared;
        self.max_relative_error = self.max_relative_error.max(other.max_relative_error);
        self.worst_share_of_tolerance = self.worst_share_of_tolerance.max(other.worst_share_of_tolerance);
        self.sample = self.sample.or(other.sample);
        self.measured.extend(other.measured);
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }
}
