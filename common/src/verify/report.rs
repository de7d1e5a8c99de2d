//! What a comparison of results with their reference found.

use super::bound::{Expected, LAMBDA, POISON_BITS, poison_i32};
use std::collections::BTreeMap;
use std::fmt;

/// One thing that is wrong with a kernel's results.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The output has fewer or more values than it should.
    Length {
        /// Which output.
        output: String,
        /// Values expected.
        expected: usize,
        /// Values found.
        got: usize,
    },
    /// The kernel did not write a value.
    Unwritten {
        /// Which output.
        output: String,
        /// Which value.
        index: usize,
    },
    /// NaN or infinity.
    NotFinite {
        /// Which output.
        output: String,
        /// Which value.
        index: usize,
        /// What it is.
        got: f64,
    },
    /// A value further from the reference than rounding explains.
    TooFar {
        /// Which output.
        output: String,
        /// Which value.
        index: usize,
        /// The reference.
        expected: f64,
        /// What it is.
        got: f64,
        /// Largest difference accepted.
        tolerance: f64,
    },
    /// A law that the results as a whole must obey.
    Law {
        /// The law, in words.
        law: String,
        /// What was found instead, with its bound.
        found: String,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { output, expected, got } => write!(f, "{output} has {got} values instead of {expected}"),
            Self::Unwritten { output, index } => write!(f, "{output}[{index}] was not written"),
            Self::NotFinite { output, index, got } => write!(f, "{output}[{index}] is {got}"),
            Self::TooFar { output, index, expected, got, tolerance } => write!(
                f,
                "{output}[{index}] is {got:e}, expected {expected:e}: the difference {:.3e} is above the tolerance \
                 {tolerance:.3e}",
                (got - expected).abs()
            ),
            Self::Law { law, found } => write!(f, "{law}: {found}"),
        }
    }
}

/// What a comparison found. Failures of several comparisons add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of values and laws that failed.
    pub failed: usize,
    /// The first few of them, in full.
    pub examples: Vec<Failure>,
    /// Values compared.
    pub compared: usize,
    /// Largest difference in relation to the magnitude of the value's terms.
    pub max_relative_error: f64,
    /// Largest difference in relation to its tolerance; at most 1 if all pass.
    pub worst_share_of_tolerance: f64,
    /// Where a part of the values was compared: how large a part.
    pub sample: Option<Sample>,
    /// What was measured of the results beside their errors, by the names that records have for it.
    pub measured: BTreeMap<&'static str, f64>,
}

/// A part of the values of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Values compared with the reference.
    pub compared: usize,
    /// Values that there are; the others are only looked through for what is unwritten or not finite.
    pub of: usize,
    /// What the values are of, in the plural.
    pub unit: &'static str,
}

/// Failures kept in full.
pub(super) const EXAMPLES: usize = 4;

impl Report {
    /// Whether everything was as expected, and there was something to compare.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed == 0 && self.compared > 0
    }

    /// Notes a failure.
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

    /// [`Report::compare`] with expectations that need not be kept.
    pub fn compare_each(&mut self, output: &str, got: &[f32], expected: impl ExactSizeIterator<Item = Expected>) {
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, expected)) in got.iter().zip(expected).enumerate() {
            self.compare_value(output, index, got, &expected);
        }
    }

    /// Compares the values at `indices`, in ascending order, of an output of `length`, which is one value a `unit`, and
    /// requires that all are written and finite.
    pub fn compare_sample(
        &mut self,
        (output, unit): (&str, &'static str),
        got: &[f32],
        length: usize,
        indices: &[usize],
        expected: &[Expected],
    ) {
        if got.len() != length {
            self.fail(Failure::Length { output: output.into(), expected: length, got: got.len() });
        }
        if indices.len() < length {
            self.sample = Some(Sample { compared: indices.len(), of: length, unit });
        }
        let mut sample = indices.iter().zip(expected).peekable();
        for (index, &value) in got.iter().enumerate() {
            match sample.next_if(|(next, _)| **next == index) {
                Some((_, expected)) => self.compare_value(output, index, value, expected),
                None => _ = self.require_finite(output, index, value),
            }
        }
    }

    /// The value, if it is written and finite.
    fn require_finite(&mut self, output: &str, index: usize, got: f32) -> Option<f64> {
        let (value, output) = (f64::from(got), || output.to_owned());
        if got.to_bits() == POISON_BITS {
            self.fail(Failure::Unwritten { output: output(), index });
        } else if !value.is_finite() {
            self.fail(Failure::NotFinite { output: output(), index, got: value });
        } else {
            return Some(value);
        }
        None
    }

    fn compare_value(&mut self, output: &str, index: usize, got: f32, expected: &Expected) {
        self.compared += 1;
        let Some(value) = self.require_finite(output, index, got) else { return };
        let difference = (value - expected.value).abs();
        self.note_error(difference, expected);
        let within = difference <= expected.tolerance;
        if !within {
            let Expected { value: expected, tolerance, .. } = *expected;
            self.fail(Failure::TooFar { output: output.into(), index, expected, got: value, tolerance });
        }
    }

    fn note_error(&mut self, difference: f64, expected: &Expected) {
        if difference > 0.0 {
            self.max_relative_error = self.max_relative_error.max(difference / expected.magnitude);
            self.worst_share_of_tolerance = self.worst_share_of_tolerance.max(difference / expected.tolerance);
        }
    }

    /// Compares an output of integers, which must be equal.
    pub fn compare_integers(&mut self, output: &str, got: &[i32], expected: &[i32]) {
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, &expected)) in got.iter().zip(expected).enumerate() {
            self.compared += 1;
            let output = output.to_owned();
            if got == poison_i32() && expected != got {
                self.fail(Failure::Unwritten { output, index });
            } else if got != expected {
                self.note_error(f64::from(got) - f64::from(expected), &Expected::exact(expected.into()));
                let (expected, got) = (expected.into(), got.into());
                self.fail(Failure::TooFar { output, index, expected, got, tolerance: 0.0 });
            }
        }
    }

    /// Requires that `values` cancel: their errors are independent and each within its tolerance, so that by
    /// Hoeffding's inequality |Σ errors| ≤ λ √(Σ tolerance²) but for a probability of 2 exp(−λ² / 2). Far stronger
    /// than the tolerances one by one, and it notices a bias that they let pass.
    pub fn cancels(&mut self, law: &str, values: &[f32], expected: &[Expected]) {
        self.weighted_cancels(law, values.iter().map(|&value| f64::from(value)), expected.iter().map(|e| e.tolerance));
    }

    /// [`Report::cancels`] for values that are already weighted, with weighted tolerances.
    pub fn weighted_cancels(
        &mut self,
        law: &str,
        values: impl Iterator<Item = f64>,
        tolerances: impl Iterator<Item = f64>,
    ) {
        let sum: f64 = values.sum();
        let bound = LAMBDA * tolerances.map(|tolerance| tolerance * tolerance).sum::<f64>().sqrt();
        let within = sum.abs() <= bound;
        if !within {
            self.fail(Failure::Law { law: law.into(), found: format!("the sum is {sum:.3e}, its bound {bound:.3e}") });
        }
    }

    /// Adds what another comparison found.
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
