//! Comparison of integers.

use super::bound::{Expected, poison_i32};
use super::failure::Failure;
use super::recording::record;
use super::report::{Report, Sample};

impl Report {
    /// Compares an output of integers, which must be equal.
    pub fn compare_integers(&mut self, output: &str, got: &[i32], expected: &[i32]) {
        if got.len() != expected.len() {
            self.fail(Failure::Length { output: output.into(), expected: expected.len(), got: got.len() });
        }
        for (index, (&got, &expected)) in got.iter().zip(expected).enumerate() {
            self.compare_integer(output, index, got, expected);
        }
    }

    /// Compares as [`Report::compare_written`] does; `expect` returns the integer at an index.
    pub fn compare_written_integers(
        &mut self,
        (output, unit): (&str, &'static str),
        got: &[i32],
        count: usize,
        expect: impl Fn(usize) -> i32,
    ) {
        let written: Vec<usize> = (0..got.len()).filter(|&index| got[index] != poison_i32()).collect();
        self.require_count(output, count, written.len());
        self.sample = Some(Sample { compared: written.len(), of: got.len(), unit });
        for index in written {
            self.compare_integer(output, index, got[index], expect(index));
        }
    }

    fn compare_integer(&mut self, output: &str, index: usize, got: i32, expected: i32) {
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
