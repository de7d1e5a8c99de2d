//! Laws that results as a whole obey.

use super::bound::{Expected, LAMBDA};
use super::failure::Failure;
use super::report::Report;

impl Report {
    /// Requires that `values` cancel. Their errors are independent and each within its tolerance, so by Hoeffding's
    /// inequality |Σ errors| ≤ λ √(Σ tolerance²) except with a probability of 2 exp(−λ² / 2). This is far stronger than the
    /// tolerances one by one, and reveals a bias that they let pass.
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
}
