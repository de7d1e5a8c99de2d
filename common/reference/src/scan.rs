//! Numbers, and the sums of all before each, or up to each.
//!
//! Integers are uniform in all 32 bits, so a missing, doubled or wrong addend shows in all sums behind it. Sums are taken modulo 2³²,
//! as the hardware adds. They are exact, so the tolerance is zero.
//!
//! Numbers in single precision are odd and between −15 and 15. Their sums are whole numbers, and exact below 2²⁴ in any order of the
//! additions, so the tolerance is zero again: with a bound for roundings, a lost addend could pass. By Hoeffding's inequality, the
//! probability that any of 2²⁹ sums from the first number on reaches 2²³ is below 10⁻¹⁰⁰; so no sum of neighbors reaches 2²⁴.

use crate::cpu::{CpuTimes, time_both};
use crate::inputs::Inputs;
use crate::parallel;
use crate::size::Size;
use crate::verify::Report;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::OnceLock;

/// The number of values that a thread of the CPU takes at once.
const PART: usize = 1 << 16;

/// Numbers of one size and seed.
#[derive(Debug)]
pub struct Numbers {
    /// The numbers.
    pub data: Vec<i32>,
    /// The sum of all numbers before each.
    prefixes: OnceLock<Vec<i32>>,
}

impl Inputs for Numbers {
    fn new(size: &Size) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
        Self { data: (0..size.n).map(|_| rng.random()).collect(), prefixes: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_both(|| prefixes(&self.data), || prefixes_by_parts(&self.data))
    }
}

/// Writes the sum of all numbers before each, to which `sum` is added, and returns the sum of all.
fn scan(numbers: &[i32], prefixes: &mut [i32], mut sum: i32) -> i32 {
    for (&number, prefix) in numbers.iter().zip(prefixes) {
        *prefix = sum;
        sum = sum.wrapping_add(number);
    }
    sum
}

fn prefixes(numbers: &[i32]) -> Vec<i32> {
    let mut prefixes = vec![0; numbers.len()];
    scan(numbers, &mut prefixes, 0);
    prefixes
}

/// Returns the same, by all threads: the sums of parts, and then each part from the sum of those before it.
fn prefixes_by_parts(numbers: &[i32]) -> Vec<i32> {
    let part = |index: usize| &numbers[index * PART..numbers.len().min((index + 1) * PART)];
    let sum = |index| part(index).iter().fold(0_i32, |sum, &number| sum.wrapping_add(number));
    let before = prefixes(&parallel::map(numbers.len().div_ceil(PART), sum));
    let mut prefixes = vec![0; numbers.len()];
    parallel::fill(&mut prefixes, PART, |index, own| {
        scan(part(index), own, before[index]);
    });
    prefixes
}

impl Numbers {
    fn expected(&self) -> &[i32] {
        self.prefixes.get_or_init(|| prefixes(&self.data))
    }

    /// Compares the sums of all numbers before each.
    #[must_use]
    pub fn check(&self, prefixes: &[i32]) -> Report {
        let mut report = Report::default();
        report.compare_integers("prefixes", prefixes, self.expected());
        report
    }
}

/// Numbers in single precision.
#[derive(Debug)]
pub struct Floats {
    /// The numbers.
    pub data: Vec<f32>,
    /// The sum of all numbers up to each.
    prefixes: OnceLock<Vec<f32>>,
}

impl Inputs for Floats {
    fn new(size: &Size) -> Self {
        let mut data = vec![0.0; size.n];
        parallel::fill(&mut data, PART, |part, numbers| {
            let mut rng = ChaCha8Rng::seed_from_u64(size.seed);
            rng.set_stream(part as u64);
            numbers.iter_mut().for_each(|number| *number = f32::from(rng.random_range(0..16_i8) * 2 - 15));
        });
        Self { data, prefixes: OnceLock::new() }
    }

    fn expect(&self) {
        self.expected();
    }

    fn time_on_cpu(&self) -> CpuTimes {
        time_both(|| sums(&self.data), || sums_by_parts(&self.data))
    }
}

/// Writes the sum of all numbers up to each, to which `sum` is added.
fn add_up(numbers: &[f32], sums: &mut [f32], mut sum: f32) {
    for (&number, up_to) in numbers.iter().zip(sums) {
        sum += number;
        *up_to = sum;
    }
}

fn sums(numbers: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0; numbers.len()];
    add_up(numbers, &mut sums, 0.0);
    sums
}

/// Returns the same, by all threads.
fn sums_by_parts(numbers: &[f32]) -> Vec<f32> {
    let parts: Vec<&[f32]> = numbers.chunks(PART).collect();
    let up_to_part = sums(&parallel::map(parts.len(), |index| parts[index].iter().sum()));
    let mut sums = vec![0.0; numbers.len()];
    let before = |index: usize| index.checked_sub(1).map_or(0.0, |last| up_to_part[last]);
    parallel::fill(&mut sums, PART, |index, own| add_up(parts[index], own, before(index)));
    sums
}

impl Floats {
    fn expected(&self) -> &[f32] {
        self.prefixes.get_or_init(|| sums_by_parts(&self.data))
    }

    /// Compares the sums of all numbers up to each.
    #[must_use]
    pub fn check(&self, prefixes: &[f32]) -> Report {
        let mut report = Report::default();
        report.compare_exact("prefixes", prefixes, self.data.len(), |index| self.expected()[index]);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prefix_is_the_sum_of_all_numbers_before_it() {
        assert_eq!(prefixes(&[3, -1, i32::MAX, 4]), [0, 3, 2, i32::MIN + 1]);
        for n in [1, PART, 3 * PART + 1] {
            let numbers = Numbers::new(&Size::new(n));
            assert_eq!(prefixes_by_parts(&numbers.data), numbers.expected());
        }
    }

    #[test]
    fn one_wrong_bit_an_inclusive_scan_and_a_missing_value_fail() {
        let numbers = Numbers::new(&Size::new(1000));
        let right = numbers.expected().to_vec();
        assert!(numbers.check(&right).passed());
        for index in [0, 999] {
            let mut wrong = right.clone();
            wrong[index] ^= 1;
            assert_eq!(numbers.check(&wrong).failed, 1);
        }
        let inclusive: Vec<i32> = right.iter().zip(&numbers.data).map(|(sum, own)| sum.wrapping_add(*own)).collect();
        assert!(numbers.check(&inclusive).failed > 990);
        assert_eq!(numbers.check(&right[..999]).failed, 1);
    }

    #[test]
    fn sums_of_floats_are_exact_in_any_order() {
        for n in [1, PART, 3 * PART + 1] {
            let floats = Floats::new(&Size::new(n));
            assert_eq!(sums(&floats.data), floats.expected());
            let exact = floats.data.iter().map(|&number| f64::from(number));
            let exact = exact.scan(0.0, |sum, number| {
                *sum += number;
                Some(*sum)
            });
            assert!(exact.zip(floats.expected()).all(|(exact, &sum)| exact == f64::from(sum) && exact.abs() < 4e4));
        }
    }

    #[test]
    fn a_lost_float_and_an_exclusive_scan_fail() {
        let floats = Floats::new(&Size::new(1000));
        let right = floats.expected().to_vec();
        assert!(floats.check(&right).passed() && floats.data.iter().all(|number| number.abs() >= 1.0));
        let lost: Vec<f32> =
            (0..1000).map(|index| right[index] - if index < 990 { 0.0 } else { floats.data[990] }).collect();
        assert_eq!(floats.check(&lost).failed, 10);
        let exclusive: Vec<f32> = right.iter().zip(&floats.data).map(|(sum, own)| sum - own).collect();
        assert_eq!(floats.check(&exclusive).failed, 1000);
        assert_eq!(floats.check(&right[..999]).failed, 1);
    }
}
