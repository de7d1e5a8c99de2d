//! Tutorial C: the sum of n 32-bit integers; each block writes the sum of its slice, and the host adds those up.
//!
//! Values are uniform in [−127, 127]: the sum of up to 2²⁴ of them cannot leave 32 bits in any order. Above that, sums
//! are taken modulo 2³², as the hardware adds. All sums are exact, so that the tolerance is zero.

use super::Seeded;
use super::baseline::{CpuTimes, time_both};
use super::case::{Case, Cost, CostKind, Launch, LaunchResult, Setup};
use crate::Error;
use crate::verify::{Report, poison_i32};
use cudarc::driver::CudaSlice;
use emulator::Counters;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// Values lie in [−LARGEST, LARGEST].
pub const LARGEST: i32 = 127;

/// The arrays on the device.
#[derive(Debug)]
pub struct Buffers {
    /// The values; a kernel may destroy them.
    pub data: CudaSlice<i32>,
    /// Output: one sum a block.
    pub partials: CudaSlice<i32>,
    /// Number of values.
    pub n: u32,
}

/// Values of one size and seed.
#[derive(Debug)]
pub struct Problem {
    seed: u64,
    data: Vec<i32>,
    /// The exact sum.
    sum: i64,
}

impl Seeded for Problem {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let data: Vec<i32> = (0..n).map(|_| rng.random_range(-LARGEST..=LARGEST)).collect();
        let sum = data.par_iter().map(|&value| i64::from(value)).sum();
        Self { seed, data, sum }
    }

    fn key(&self) -> (usize, u64) {
        (self.data.len(), self.seed)
    }
}

fn wrapping_sum(values: &[i32]) -> i32 {
    values.iter().fold(0, |sum, &value| sum.wrapping_add(value))
}

/// A 64-bit sum as 32-bit hardware has it: modulo 2³².
fn modulo_32_bits(sum: i64) -> i32 {
    sum as i32
}

impl Problem {
    /// Times the sum on this CPU.
    pub(super) fn time_on_cpu(&self) -> CpuTimes {
        let parallel = || self.data.par_chunks(1 << 16).map(wrapping_sum).reduce(|| 0, i32::wrapping_add);
        time_both(|| wrapping_sum(&self.data), parallel)
    }

    /// Compares each block's sum with that of its slice, where the slices are known, and their sum with the exact one.
    fn check(&self, partials: &[i32], elements_per_block: Option<usize>) -> Report {
        let mut report = Report::default();
        if let Some(elements) = elements_per_block {
            let mut expected: Vec<i32> = self.data.par_chunks(elements).map(wrapping_sum).collect();
            // A grid of more blocks than slices: the rest has nothing to add.
            expected.resize(expected.len().max(partials.len()), 0);
            report.compare_integers("partials", partials, &expected);
        } else {
            let unwritten = partials.iter().filter(|&&partial| partial == poison_i32()).count();
            report.compare_integers("number of unwritten partials", &[unwritten as i32], &[0]);
        }
        report.compare_integers("sum", &[wrapping_sum(partials)], &[modulo_32_bits(self.sum)]);
        report
    }
}

/// One kernel of tutorial C, set up.
pub(super) struct ReductionCase<'a> {
    setup: Setup<'a>,
    problem: Arc<Problem>,
    launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    buffers: Buffers,
    pristine: CudaSlice<i32>,
    poison: CudaSlice<i32>,
    counters: Option<Counters>,
}

impl<'a> ReductionCase<'a> {
    pub fn new(
        setup: Setup<'a>,
        problem: Arc<Problem>,
        launch: fn(&Launch, &mut Buffers) -> LaunchResult,
    ) -> Result<Self, Error> {
        let blocks = setup.config.grid_dim.0 as usize;
        let poison = setup.upload(&vec![poison_i32(); blocks])?;
        let pristine = setup.upload(&problem.data)?;
        let buffers = Buffers {
            data: setup.upload(&problem.data)?,
            partials: setup.upload(&vec![poison_i32(); blocks])?,
            n: u32::try_from(problem.data.len()).expect("every accepted n fits 32 bits"),
        };
        Ok(Self { setup, problem, launch, buffers, pristine, poison, counters: None })
    }
}

impl Case for ReductionCase<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        self.setup.copy(&self.pristine, &mut self.buffers.data)?;
        self.setup.copy(&self.poison, &mut self.buffers.partials)
    }

    fn launch(&mut self) -> Result<(), Error> {
        self.setup.run(|launch| (self.launch)(launch, &mut self.buffers))
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        self.launch()?;
        self.setup.finish()?;
        self.counters = self.setup.gpu.last_counters()?;
        self.recheck()
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        let partials = self.setup.download(&self.buffers.partials)?;
        Ok(self.problem.check(&partials, self.setup.elements_per_block))
    }

    fn counters(&self) -> Option<Counters> {
        self.counters
    }

    fn cost(&self) -> Cost {
        let bytes = 4.0 * (self.problem.data.len() as f64 + f64::from(self.setup.config.grid_dim.0));
        Cost { kind: CostKind::Bytes, amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::SIZES_AROUND_WARPS;

    fn partials(problem: &Problem, block: usize) -> Vec<i32> {
        problem.data.chunks(block).map(|slice| slice.iter().sum()).collect()
    }

    #[test]
    fn honest_sums_pass_at_every_size() {
        for n in SIZES_AROUND_WARPS {
            let problem = Problem::new(n, 7);
            assert!(problem.check(&partials(&problem, 128), Some(128)).passed(), "n = {n}");
            assert!(problem.check(&partials(&problem, 128), None).passed(), "n = {n}");
        }
    }

    #[test]
    fn the_exact_sum_of_a_small_problem_is_that_of_its_values() {
        let problem = Problem { seed: 0, data: vec![127, -3, 40], sum: 164 };
        assert!(problem.check(&[164], Some(128)).passed());
        assert!(!problem.check(&[163], Some(128)).passed());
    }

    #[test]
    fn a_missing_value_a_swapped_block_and_a_short_output_fail() {
        let problem = Problem::new(1025, 7);
        let good = partials(&problem, 128);
        let mut wrong = good.clone();
        wrong[3] -= problem.data[3 * 128].max(1);
        assert!(!problem.check(&wrong, Some(128)).passed());
        let mut swapped = good.clone();
        swapped.rotate_left(1);
        assert!(!problem.check(&swapped, Some(128)).passed());
        assert!(!problem.check(&good[..good.len() - 1], Some(128)).passed());
        assert!(!problem.check(&vec![poison_i32(); good.len()], Some(128)).passed());
        assert!(!problem.check(&vec![0; good.len()], Some(128)).passed());
    }

    #[test]
    fn sums_beyond_32_bits_are_taken_modulo() {
        assert_eq!(modulo_32_bits((1 << 32) - 5), -5);
        assert_eq!(modulo_32_bits(i64::from(i32::MAX) + 1), i32::MIN);
    }

    #[test]
    fn no_order_of_adding_the_published_size_leaves_32_bits() {
        assert!(i64::from(LARGEST) * (1 << 24) <= i64::from(i32::MAX));
    }
}
