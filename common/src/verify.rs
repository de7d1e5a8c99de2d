//! Comparison with a reference in double precision, under a tolerance that follows from the arithmetic.
//!
//! A kernel sums n rounded terms in single precision, in an order of its own. With u = 2⁻²⁴, λ > 0, M = Σ |terms|, at
//! most k roundings inside a term, and S the terms smaller than 4 u M,
//!
//! ```text
//! |computed − exact| ≤ (λ √n + k) · u · M + Σ over S of min(|term|, u M)
//! ```
//!
//! The first part holds for one sum with a probability of at least 1 − 2 n exp(−λ² / 2), if the rounding errors of the
//! sum are independent and of mean zero (Higham and Mary, "A new approach to probabilistic rounding error analysis",
//! SIAM J. Sci. Comput. 41(5), 2019, theorems 2.4 and 3.1, to first order); the roundings inside a term are taken at
//! their worst. λ = 8 makes that one failure in 10⁹ sums of 16384 terms. The deterministic bound has n for λ √n.
//!
//! The second part is for terms of less than two units in the last place of the sum, whose rounding errors are not of
//! mean zero: beside one overwhelming term they are lost again and again. An addition errs by at most the term, for
//! without it the sum is a number already, and by at most u M.
//!
//! A value passes only if its difference is at most the tolerance, so that NaN never passes.

use std::fmt;

/// Half the distance from 1 to the next single-precision number.
pub const UNIT_ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;

/// λ of the bound above.
pub const LAMBDA: f64 = 8.0;

/// Largest relative error of `rsqrt.approx.f32`, in units of [`UNIT_ROUNDOFF`]: 2⁻²²·⁹ (PTX ISA, rsqrt).
pub const RSQRT_ROUNDINGS: f64 = 2.15;

/// Fills outputs before a launch: a NaN that no arithmetic of the device gives, so that what the kernel leaves
/// unwritten shows.
pub const POISON_BITS: u32 = 0x7FC0_DEAD;

/// [`POISON_BITS`] as a number.
#[must_use]
pub fn poison_f32() -> f32 {
    f32::from_bits(POISON_BITS)
}

/// [`POISON_BITS`] as a number; workloads of integers must not have it among their correct results.
#[must_use]
pub fn poison_i32() -> i32 {
    POISON_BITS.cast_signed()
}

/// The first part of the bound above, for a sum of `terms` terms with `roundings` roundings each, the magnitudes adding
/// up to `magnitude`.
#[must_use]
pub fn sum_tolerance(terms: usize, roundings: f64, magnitude: f64) -> f64 {
    (LAMBDA * (terms as f64).sqrt() + roundings) * UNIT_ROUNDOFF * magnitude
}

/// The second part of the bound above. The terms' magnitudes may themselves be rounded to single precision.
#[must_use]
pub fn lost_terms(magnitudes: &[f32], magnitude: f64) -> f64 {
    let unit = UNIT_ROUNDOFF * magnitude;
    let (small, most) = ((4.0 * unit) as f32, unit as f32);
    // Vector instructions, and chunks short enough that their single-precision sums stay accurate.
    let lost = |chunk: &[f32]| chunk.iter().map(|&term| if term < small { term.min(most) } else { 0.0 }).sum::<f32>();
    magnitudes.chunks(64).map(|chunk| f64::from(lost(chunk))).sum()
}

/// What one output should be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// The reference.
    pub value: f64,
    /// Sum of the magnitudes of its terms: the scale that relative errors are measured by.
    pub magnitude: f64,
    /// Largest difference accepted.
    pub tolerance: f64,
}

impl Expected {
    /// A sum of terms with these magnitudes, under [`sum_tolerance`] and [`lost_terms`].
    #[must_use]
    pub fn sum(value: f64, magnitude: f64, magnitudes: &[f32], roundings: f64) -> Self {
        let tolerance = sum_tolerance(magnitudes.len(), roundings, magnitude) + lost_terms(magnitudes, magnitude);
        Self { value, magnitude, tolerance }
    }

    /// The expectation for a multiple of the value, by a factor > 0.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let Self { value, magnitude, tolerance } = self;
        Self { value: value * factor, magnitude: magnitude * factor, tolerance: tolerance * factor }
    }

    /// A value that must be met exactly.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { value, magnitude: value.abs(), tolerance: 0.0 }
    }
}

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
}

/// A part of the values of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Values compared with the reference.
    pub compared: usize,
    /// Values that there are; the others are only looked through for what is unwritten or not finite.
    pub of: usize,
}

/// Failures kept in full.
const EXAMPLES: usize = 4;

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
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, expected)) in got.iter().zip(expected).enumerate() {
            self.compare_value(output, index, got, expected);
        }
    }

    /// Compares the values at `indices`, in ascending order, of an output of `length`, and requires that all are
    /// written and finite.
    pub fn compare_sample(
        &mut self,
        output: &str,
        got: &[f32],
        length: usize,
        indices: &[usize],
        expected: &[Expected],
    ) {
        if got.len() != length {
            self.fail(Failure::Length { output: output.into(), expected: length, got: got.len() });
        }
        if indices.len() < length {
            self.sample = Some(Sample { compared: indices.len(), of: length });
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
        let room = EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Vec<Expected> {
        [1.0, -2.0, 0.0].map(|value| Expected { value, magnitude: 4.0, tolerance: 0.25 }).to_vec()
    }

    fn compared(got: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare("f", got, &expected());
        report
    }

    #[test]
    fn values_within_the_tolerance_pass_and_give_the_largest_error() {
        let report = compared(&[1.0, -2.25, 0.125]);
        assert!(report.passed());
        assert_eq!(report.max_relative_error, 0.0625);
        assert_eq!(report.worst_share_of_tolerance, 1.0);
    }

    #[test]
    fn a_value_just_beyond_the_tolerance_fails() {
        let report = compared(&[1.0, -2.250_001, 0.0]);
        assert_eq!(report.failed, 1);
        assert!(report.examples[0].to_string().starts_with("f[1] is -2.25"), "{}", report.examples[0]);
    }

    #[test]
    fn nan_and_infinity_are_failures_of_their_own() {
        let report = compared(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        assert_eq!(report.failed, 3);
        assert_eq!(report.examples[0].to_string(), "f[0] is NaN");
        assert_eq!(report.examples[2].to_string(), "f[2] is -inf");
    }

    #[test]
    fn an_infinite_tolerance_does_not_let_nan_pass() {
        let mut report = Report::default();
        report.compare("f", &[f32::NAN], &[Expected { value: 0.0, magnitude: 1.0, tolerance: f64::INFINITY }]);
        assert!(!report.passed());
    }

    #[test]
    fn a_nan_tolerance_lets_nothing_pass() {
        let mut report = Report::default();
        report.compare("f", &[0.0], &[Expected { value: 0.0, magnitude: 1.0, tolerance: f64::NAN }]);
        assert!(!report.passed());
    }

    #[test]
    fn unwritten_values_are_named() {
        let report = compared(&[1.0, poison_f32(), 0.0]);
        assert_eq!(report.examples, [Failure::Unwritten { output: "f".into(), index: 1 }]);
    }

    #[test]
    fn short_and_empty_outputs_fail() {
        assert_eq!(compared(&[1.0, -2.0]).examples[0].to_string(), "f has 2 values instead of 3");
        assert!(!compared(&[]).passed());
        assert!(!Report::default().passed());
    }

    #[test]
    fn a_sample_is_compared_and_the_rest_must_be_finite() {
        let sampled = |got: &[f32]| {
            let mut report = Report::default();
            report.compare_sample("f", got, 4, &[1, 3], &expected()[..2]);
            report
        };
        let good = sampled(&[9.0, 1.0, 9.0, -2.0]);
        assert!(good.passed());
        assert_eq!((good.compared, good.sample), (2, Some(Sample { compared: 2, of: 4 })));
        assert_eq!(sampled(&[9.0, 1.0, 9.0, -3.0]).examples[0].to_string().split(' ').next(), Some("f[3]"));
        assert_eq!(sampled(&[f32::NAN, 1.0, poison_f32(), -2.0]).failed, 2);
        assert!(!sampled(&[9.0, 1.0, 9.0]).passed());
        assert!(!sampled(&[9.0, 1.0, 9.0, -2.0, 9.0]).passed());
    }

    #[test]
    fn integers_must_be_equal_and_written() {
        let mut report = Report::default();
        report.compare_integers("sum", &[3, 5, poison_i32()], &[3, 4, 0]);
        assert_eq!(report.failed, 2);
        assert_eq!(report.examples[1], Failure::Unwritten { output: "sum".into(), index: 2 });
    }

    #[test]
    fn a_bias_within_every_tolerance_breaks_the_law_of_cancelling() {
        let expected = vec![Expected { value: 0.0, magnitude: 1.0, tolerance: 0.1 }; 1000];
        let check = |values: &[f32]| {
            let mut report = Report::default();
            report.compare("f", values, &expected);
            report.cancels("sum of forces", values, &expected);
            report
        };
        assert!(check(&[0.05, -0.05].repeat(500)).passed());
        assert_eq!(check(&[0.05; 1000]).failed, 1);
    }

    #[test]
    fn small_terms_beside_a_large_one_are_allowed_to_be_lost() {
        // 1 + 2^-24 is 1 in single precision, and so 1 + 1000 · 2^-24 is too, term by term.
        let mut terms = vec![UNIT_ROUNDOFF as f32; 1000];
        terms.insert(0, 1.0);
        let computed: f32 = terms.iter().sum();
        let exact: f64 = terms.iter().map(|&term| f64::from(term)).sum();
        assert_eq!(computed, 1.0);
        let error = exact - f64::from(computed);
        assert!(error > sum_tolerance(terms.len(), 0.0, exact));
        assert!(error <= Expected::sum(exact, exact, &terms, 0.0).tolerance);
    }

    #[test]
    fn terms_of_like_size_are_not_allowed_to_be_lost() {
        assert_eq!(lost_terms(&[1.0; 16384], 16384.0), 0.0);
    }

    #[test]
    fn of_many_failures_all_count_and_a_few_are_kept() {
        let mut report = Report::default();
        report.compare("f", &[9.0; 100], &[Expected::exact(1.0); 100]);
        assert_eq!((report.failed, report.examples.len()), (100, EXAMPLES));
    }
}
