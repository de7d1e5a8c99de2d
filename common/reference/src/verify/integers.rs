//! Comparison of integers.

use super::bound::{Expected, poison_i32};
use super::failure::Failure;
use super::recording::record;
use super::report::Report;

impl Report {
    /// Compares an output of integers, which must be equal.
    pub fn compare_integers(&mut self, output: &str, got: &[i32], expected: &[i32]) {
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, &expected)) in got.iter().zip(expected).enumerate() {
            self.compared += 1;
            record(output, got.cast_unsigned(), true, Expected::exact(expected.into()));
            let output = output.to_owned();
            if got == poison_i32() && expected != got {
                self.fail(Failure::Unwritten { output, index });
            } else if got != expected {
                self.note_error(f64::from(got) - f64::from(expected), &Expected::exact(expected.into()));
                let expected = expected.into();
                let got = got.into();
                self.fail(Failure::TooFar { output, index, expected, got, tolerance: 0.0 });
            }
        }
    }
}
