//! Comparisons at which all threads look first.

use super::bound::Expected;
use super::failure::Failure;
use super::recording::is_recording;
use super::report::{Report, Sample};
use crate::parallel;

impl Report {
    /// Compares the values at `indices`, in ascending order, of an output with `length` values, one per `unit`. Requires
    /// all others to be written and finite.
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
        if got.len() == length && hold_for_all(got, &|_, value| value.is_finite()) {
            let sample = indices.iter().zip(expected);
            return sample.for_each(|(&index, expected)| self.compare_value(output, index, got[index], expected));
        }
        let mut sample = indices.iter().zip(expected).peekable();
        for (index, &value) in got.iter().enumerate() {
            match sample.next_if(|(next, _)| **next == index) {
                Some((_, expected)) => self.compare_value(output, index, value, expected),
                None => _ = self.require_finite(output, index, value),
            }
        }
    }

    /// Compares an output of `length` floats with exact values.
    pub(crate) fn compare_exact(
        &mut self,
        output: &str,
        got: &[f32],
        length: usize,
        value: impl Fn(usize) -> f32 + Sync,
    ) {
        let is_equal = |place: usize, got: f32| got == value(place);
        if got.len() == length && !is_recording() && hold_for_all(got, &is_equal) {
            self.compared += length;
        } else {
            self.compare_each(output, got, (0..length).map(|place| Expected::exact(value(place).into())));
        }
    }
}

/// Returns whether something holds for all values, at which all threads look.
fn hold_for_all(values: &[f32], is_so: &(dyn Fn(usize, f32) -> bool + Sync)) -> bool {
    const PART: usize = 1 << 16;
    let is_part_so = |part: usize| {
        let first = part * PART;
        let values = &values[first..values.len().min(first + PART)];
        (first..).zip(values).all(|(place, &value)| is_so(place, value))
    };
    parallel::map(values.len().div_ceil(PART), is_part_so).into_iter().all(|is_so| is_so)
}
