//! The values that a sample of a launch's blocks wrote, and their expectations.

use super::bound::{Expected, POISON_BITS};
use super::failure::Failure;
use super::report::{Report, Sample};
use crate::parallel;
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the indices of the values that a kernel wrote, in ascending order.
#[must_use]
pub fn written(values: &[f32]) -> Vec<usize> {
    const PART: usize = 1 << 12;
    let is_written = |value: &f32| value.to_bits() != POISON_BITS;
    let of_part = |part: usize| -> Vec<usize> {
        let first = part * PART;
        let values = &values[first..values.len().min(first + PART)];
        // A sample of the blocks writes to few parts. Without an end at the first value, this takes several at once.
        if !values.iter().fold(false, |any, value| any | is_written(value)) {
            return Vec::new();
        }
        (first..).zip(values).filter(|(_, value)| is_written(value)).map(|(index, _)| index).collect()
    };
    parallel::map(values.len().div_ceil(PART), of_part).concat()
}

impl Report {
    /// Compares the values of an output that a sample of a launch's blocks wrote, one per `unit`. There must be `count`; `expect`
    /// returns the expectations of those with these indices, in ascending order. Beyond twice `count`, values are not compared: they
    /// could be so many that their expectations take minutes.
    pub fn compare_written(
        &mut self,
        (output, unit): (&str, &'static str),
        got: &[f32],
        count: usize,
        expect: impl FnOnce(&[usize]) -> Vec<Expected>,
    ) {
        let mut written = written(got);
        self.require_count(output, count, written.len());
        written.truncate(2 * count);
        self.sample = Some(Sample { compared: written.len(), of: got.len(), unit });
        for (&index, expected) in written.iter().zip(expect(&written)) {
            self.compare_value(output, index, got[index], &expected);
        }
    }

    /// Requires that the blocks of a sample wrote this many values of an output.
    pub(super) fn require_count(&mut self, output: &str, expected: usize, got: usize) {
        if got != expected {
            self.fail(Failure::Part { output: output.into(), expected, got });
        }
    }
}

/// Expectations of the values that were written last, for kernels of which samples write the same.
#[derive(Debug, Default)]
pub(crate) struct LastWritten<T>(Mutex<Option<Known<T>>>);

/// Indices with what is expected there.
type Known<T> = (Vec<usize>, Arc<Vec<T>>);

impl<T> LastWritten<T> {
    /// Returns what is expected at these indices, which `expect` returns if they are not the last ones.
    pub fn get(&self, indices: &[usize], expect: impl FnOnce() -> Vec<T>) -> Arc<Vec<T>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, expected)) = last.as_ref().filter(|(known, _)| known == indices) {
            return expected.clone();
        }
        let expected = Arc::new(expect());
        *last = Some((indices.to_vec(), expected.clone()));
        expected
    }
}

/// Returns what is expected at these indices, in ascending order, of a matrix with this many columns, given that of a whole row.
pub(crate) fn expected_in_rows<T: Copy + Send + Sync>(
    indices: &[usize],
    columns: usize,
    of_row: impl Fn(usize) -> Vec<T> + Sync,
) -> Vec<T> {
    let rows: Vec<&[usize]> = indices.chunk_by(|one, next| one / columns == next / columns).collect();
    let of_part = |index: usize| -> Vec<T> {
        let part = rows[index];
        let row = of_row(part[0] / columns);
        part.iter().map(|place| row[place % columns]).collect()
    };
    parallel::map(rows.len(), of_part).concat()
}
