//! Comparisons of a rank's results, in addition to those of [`common::verify`].

use common::verify::{Expected, Failure, Report};

/// Converts the indices of failed values from local, relative to `first`, to global.
pub fn number_from(report: &mut Report, first: usize) {
    for failure in &mut report.examples {
        match failure {
            Failure::Unwritten { index, .. } | Failure::NotFinite { index, .. } | Failure::TooFar { index, .. } => {
                *index += first;
            }
            Failure::Length { .. } | Failure::Law { .. } => {}
        }
    }
}

/// A value computed by a rank and by one GPU.
#[derive(Clone, Copy, Debug)]
pub struct Twice<'a> {
    /// The global index of the value.
    pub index: usize,
    /// The rank's value.
    pub got: f32,
    /// The value on one GPU.
    pub alone: f32,
    /// The expected value of both.
    pub expected: &'a Expected,
}

/// Requires that values agree with those of one GPU: both must be within the tolerance of the exact value.
pub fn require_as_alone<'a>(report: &mut Report, what: &str, values: impl Iterator<Item = Twice<'a>>) {
    for Twice { index, got, alone, expected } in values {
        let most = 2.0 * expected.tolerance;
        let within = f64::from((got - alone).abs()) <= most;
        if !within {
            let law = format!("{what} {index} must be as on one GPU");
            let found = format!("{got:e}, and {alone:e} there; twice the tolerance is {most:.3e}");
            report.fail(Failure::Law { law, found });
        }
    }
}
