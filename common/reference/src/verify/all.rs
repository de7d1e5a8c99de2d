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
        if got.len() == length && !is_recording() && are_finite(got) {
            return self.compare_parts(output, got, indices, expected);
        }
        let mut sample = indices.iter().zip(expected).peekable();
        for (index, &value) in got.iter().enumerate() {
            match sample.next_if(|(next, _)| **next == index) {
                Some((_, expected)) => self.compare_value(output, index, value, expected),
                None => _ = self.require_finite(output, index, value),
            }
        }
    }

    /// Compares the values at `indices`, a part of them in each thread.
    fn compare_parts(&mut self, output: &str, got: &[f32], indices: &[usize], expected: &[Expected]) {
        const PART: usize = 1 << 12;
        let compare_part = |part: usize| {
            let mut report = Self::default();
            let of_part = indices.iter().zip(expected).skip(part * PART).take(PART);
            of_part.for_each(|(&index, expected)| report.compare_value(output, index, got[index], expected));
            report
        };
        let reports = parallel::map(indices.len().div_ceil(PART), compare_part);
        reports.into_iter().for_each(|report| self.add(report));
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
    hold_for_parts(values, &|first, values| (first..).zip(values).all(|(place, &value)| is_so(place, value)))
}

/// Returns whether all values are finite.
fn are_finite(values: &[f32]) -> bool {
    // Without an end at the first value, this takes several at once.
    hold_for_parts(values, &|_, values| values.iter().fold(true, |all, value| all & value.is_finite()))
}

/// Returns whether something holds for all parts of the values, each with its first place.
fn hold_for_parts(values: &[f32], is_so: &(dyn Fn(usize, &[f32]) -> bool + Sync)) -> bool {
    const PART: usize = 1 << 16;
    let is_part_so = |part: usize| is_so(part * PART, &values[part * PART..values.len().min((part + 1) * PART)]);
    parallel::map(values.len().div_ceil(PART), is_part_so).into_iter().all(|is_so| is_so)
}
