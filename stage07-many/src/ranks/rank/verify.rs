//! Comparisons of a rank's results, in addition to those of [`common::verify`].

use chacha20::ChaCha8Rng;
use common::problem::sample;
use common::verify::{Expected, Failure, Report};
use rand::SeedableRng;
use std::ops::Range;

/// A sample of a rank's elements.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The rank's elements among all.
    own: Range<usize>,
    /// The sampled ones, relative to the rank's first.
    local: Vec<usize>,
}

impl Sampled {
    /// Samples so many of a rank's elements, or all if it has fewer.
    #[must_use]
    pub fn new(own: Range<usize>, most: usize, seed: u64) -> Self {
        let local = sample(&mut ChaCha8Rng::seed_from_u64(seed), own.len(), most.min(own.len()));
        Self { own, local }
    }

    /// Returns the sampled elements among all.
    #[must_use]
    pub fn global(&self) -> Vec<usize> {
        self.local.iter().map(|element| self.own.start + element).collect()
    }

    /// Compares an output of the rank, whose elements have this unit.
    pub fn compare(&self, report: &mut Report, output: (&str, &'static str), got: &[f32], expected: &[Expected]) {
        report.compare_sample(output, got, self.own.len(), &self.local, expected);
    }

    /// Converts the indices of failed values from local to global.
    pub fn number(&self, report: &mut Report) {
        for failure in &mut report.examples {
            match failure {
                Failure::Unwritten { index, .. } | Failure::NotFinite { index, .. } | Failure::TooFar { index, .. } => {
                    *index += self.own.start;
                }
                Failure::Length { .. } | Failure::Part { .. } | Failure::Law { .. } => {}
            }
        }
    }

    /// Requires that the rank's values agree with those of one GPU, `alone`: both must be within the tolerance of the exact
    /// value.
    pub fn require_as_alone(&self, report: &mut Report, what: &str, got: &[f32], alone: &[f32], expected: &[Expected]) {
        for (&local, expected) in self.local.iter().zip(expected) {
            let index = self.own.start + local;
            let got = got[local];
            let alone = alone[index];
            let most = 2.0 * expected.tolerance;
            let within = f64::from((got - alone).abs()) <= most;
            if !within {
                let law = format!("{what} {index} must be as on one GPU");
                let found = format!("{got:e}, and {alone:e} there; twice the tolerance is {most:.3e}");
                report.fail(Failure::Law { law, found });
            }
        }
    }
}
