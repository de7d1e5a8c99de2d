//! Values, and their sums.
//!
//! Values are uniform in [−127, 127]: the sum of up to 2²⁴ of them cannot leave 32 bits in any order. Above that, sums
//! are taken modulo 2³², as the hardware adds. All sums are exact, so the tolerance is zero.

use crate::cpu::{CpuTimes, time_both};
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::Size;
use crate::verify::{Report, poison_i32};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Values are in [−LARGEST, LARGEST].
pub const LARGEST: i32 = 127;

/// Values of one size and seed.
#[derive(Debug)]
pub struct Values {
    /// The values.
    pub data: Vec<i32>,
    /// The exact sum.
    sum: i64,
}

impl Inputs for Values {
    fn new(size: &Size) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        let data: Vec<i32> = (0..size.n).map(|_| rng.random_range(-LARGEST..=LARGEST)).collect();
        let sum = data.iter().map(|&value| i64::from(value)).sum();
        Self { data, sum }
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_both(|| wrapping_sum(&self.data), || wrapping_sum(&sums_of_parts(&self.data, 1 << 16)))
    }
}

fn wrapping_sum(values: &[i32]) -> i32 {
    values.iter().fold(0, |sum, &value| sum.wrapping_add(value))
}

/// Returns the sum of each part of `length` values; the last may have fewer.
fn sums_of_parts(values: &[i32], length: usize) -> Vec<i32> {
    parallel::map(values.len().div_ceil(length), |index| sum_of_part(values, length, index))
}

/// Returns the sum of a part of `length` values; 0 for one behind the last.
fn sum_of_part(values: &[i32], length: usize, index: usize) -> i32 {
    let end_of = |part: usize| values.len().min(part * length);
    wrapping_sum(&values[end_of(index)..end_of(index + 1)])
}

/// Returns a 64-bit sum modulo 2³², as 32-bit hardware computes it.
fn modulo_32_bits(sum: i64) -> i32 {
    sum as i32
}

impl Values {
    /// Compares each block's partial sum with the reference if its part is known, and the sum of all with the exact one.
    pub fn check(&self, partials: &[i32], elements_per_block: Option<usize>) -> Report {
        let mut report = Report::default();
        if let Some(elements) = elements_per_block {
            let mut expected = sums_of_parts(&self.data, elements);
            // A grid may have more blocks than parts; the rest add nothing.
            expected.resize(expected.len().max(partials.len()), 0);
            report.compare_integers("partials", partials, &expected);
        } else {
            let unwritten = partials.iter().filter(|&&partial| partial == poison_i32()).count();
            report.compare_integers("number of unwritten partials", &[unwritten as i32], &[0]);
        }
        report.compare_integers("sum", &[wrapping_sum(partials)], &[modulo_32_bits(self.sum)]);
        report
    }

    /// Compares the partial sums that a sample of the blocks wrote, of which there must be `count`. Each is that of a part of
    /// `elements_per_block` values.
    pub fn check_written(&self, partials: &[i32], elements_per_block: usize, count: usize) -> Report {
        let mut report = Report::default();
        let sum = |block: usize| sum_of_part(&self.data, elements_per_block, block);
        report.compare_written_integers(("partials", "partial sums"), partials, count, sum);
        report
    }
}

#[cfg(test)]
mod tests;
