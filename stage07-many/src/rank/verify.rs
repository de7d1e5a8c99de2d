//! What comparisons of a rank's results have in common, beside those of [`common::verify`].

use common::verify::{Expected, Failure, Report};

/// Numbers the values that failed as all ranks do, where they are of a rank's own elements, which begin with `first`.
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

/// A value of a rank, and the same on one GPU.
#[derive(Clone, Copy, Debug)]
pub struct Twice<'a> {
    /// Which of all ranks' values.
    pub index: usize,
    /// What the rank has.
    pub got: f32,
    /// What one GPU has.
    pub alone: f32,
    /// What both should have.
    pub expected: &'a Expected,
}

/// Requires that values are as on one GPU: both are within a tolerance of the exact value.
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
