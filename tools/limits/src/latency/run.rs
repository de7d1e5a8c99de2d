//! Runs a measurement, checks the kernel's results and reads its clock.

use super::{Measured, Point, Quantity, Unit};
use crate::Bench;
use crate::bench::{BYTE, WARP_SIZE, fill, prebuilt_version};
use crate::launch::{self, Links, Outputs};
use common::error::Error;
use common::kernel::LoadedKernel;
use cudarc::driver::LaunchConfig;

/// Steps per loop iteration of `07_chains.cu` and `08_answers.cu`.
const CHAIN_STEPS: u32 = 32;
const LINK_STEPS: u32 = 16;

/// Most threads per block of `07_chains.cu` and `09_flight.cu`.
const CHAIN_BLOCK: u32 = 1024;
const READ_BLOCK: u32 = 128;

/// The distance between consecutive elements of a list, in integers: 64 KiB plus a line, so that each is in another line of
/// 128 bytes.
const STRIDE: usize = (64 << 10) / 4 + 32;

/// The value on a GPU, and whether the results were correct.
type Ran = (Option<f64>, bool);

impl Bench {
    /// Runs one measurement. A wrong result is recorded, not an error.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`].
    pub fn point(&mut self, point: &Point) -> Result<Measured, Error> {
        let kernel = self.loader.load(&self.device, &point.source, point.kernel)?;
        let (value, verified) = match point.quantity {
            Quantity::Issue => self.chains(&kernel, point)?,
            Quantity::Answer => self.answer(&kernel, point)?,
            Quantity::Read => self.reads(&kernel, point)?,
        };
        Ok(Measured {
            quantity: point.quantity,
            unit: point.unit,
            kernel: point.kernel.into(),
            independent: point.independent,
            warps: point.warps,
            value,
            made: self.provenance(&kernel, prebuilt_version(&kernel, &point.source)),
            verified,
        })
    }

    /// Measures the instructions of a scheduler's warps per clock, until the last warp ends.
    fn chains(&self, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
        let turns = if self.is_emulated() { 1 } else { 512 };
        let config = self.resident(point.warps, CHAIN_BLOCK);
        let threads = (config.grid_dim.0 * config.block_dim.0) as usize;
        let stream = &self.device.stream;
        let allocate = || {
            let values = stream.clone_htod(&vec![f32::NAN; threads])?;
            let elapsed = stream.alloc_zeros(2)?;
            Ok(Outputs { values, elapsed })
        };
        let mut outputs = self.explained("allocate", allocate())?;
        // the first launch fills the instruction caches
        for _ in 0..2 {
            let launched = launch::arithmetic(stream, kernel, config, &mut outputs, turns);
            self.explained("launch", launched)?;
        }
        let values = self.explained("run chains of arithmetic", stream.clone_dtoh(&outputs.values))?;
        let elapsed = self.explained("copy clocks", stream.clone_dtoh(&outputs.elapsed))?;
        let chains = point.independent;
        let steps = CHAIN_STEPS * turns.unsigned_abs();
        let expected = (chains * (chains - 1) / 2 + chains * steps) as f32;
        let instructions = f64::from(chains * steps * (point.warps / super::SCHEDULERS));
        Ok((self.clocks(elapsed[0]).map(|clocks| instructions / clocks), values.iter().all(|sum| *sum == expected)))
    }

    /// Measures the clocks per step.
    fn answer(&self, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
        let (count, turns) = if self.is_emulated() { (1 << 12, 1) } else { size(point.unit) };
        let next: Vec<i32> = (0..count).map(|k| to_i32((k + STRIDE) % count)).collect();
        let next = if point.unit == Unit::Special { vec![0] } else { next };
        let stream = &self.device.stream;
        let allocate = || {
            let next = stream.clone_htod(&next)?;
            Ok(Links { next, at: stream.alloc_zeros(1)?, elapsed: stream.alloc_zeros(1)? })
        };
        let mut links = self.explained("allocate", allocate())?;
        // the first launch fills the caches; the second continues at its last element, in lines that were not read yet
        for _ in 0..2 {
            self.explained("launch", launch::links(stream, kernel, &mut links, turns))?;
        }
        let at = self.explained("follow links", stream.clone_dtoh(&links.at))?[0];
        let elapsed = self.explained("copy clocks", stream.clone_dtoh(&links.elapsed))?;
        let steps = (LINK_STEPS * turns.unsigned_abs()) as usize;
        let right = at == expected(point.unit, &next, 2 * steps);
        Ok((self.clocks(elapsed[0]).map(|clocks| clocks / steps as f64), right))
    }

    /// Measures the bytes read per second.
    fn reads(&self, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
        let config = self.resident(point.warps, READ_BLOCK);
        let threads = (config.grid_dim.0 * config.block_dim.0) as usize;
        let each = 4 * point.independent as usize;
        let rounds = (self.integers()? / (threads * each)).max(1);
        let count = rounds * threads * each;
        let stream = &self.device.stream;
        let allocate =
            || Ok((stream.alloc_zeros::<i32>(count)?, stream.alloc_zeros::<i32>(threads / WARP_SIZE as usize)?));
        let (mut data, mut sums) = self.explained("allocate", allocate())?;
        self.explained("fill memory", fill(&self.device, &mut data))?;
        let groups = to_i32(count / 4);
        let time = self.time(|| launch::flight(stream, kernel, config, &data, &mut sums, groups))?;
        let sums = self.explained("read memory", stream.clone_dtoh(&sums))?;
        // modulo 2^32, as the kernel adds
        let of_a_warp = to_i32(rounds * each * WARP_SIZE as usize);
        let expected = i32::from_ne_bytes([BYTE; 4]).wrapping_mul(of_a_warp);
        let bytes = (count * size_of::<i32>()) as f64;
        Ok((time.map(|time| bytes / (time.median / 1e3)), sums.iter().all(|sum| *sum == expected)))
    }

    /// Returns a launch with this many resident warps per multiprocessor; for one multiprocessor on the emulator.
    fn resident(&self, warps: u32, most: u32) -> LaunchConfig {
        let block = most.min(warps * WARP_SIZE);
        let each = warps * WARP_SIZE / block;
        let multiprocessors = if self.is_emulated() { 1 } else { self.device.attributes.multiprocessors.unwrap_or(1) };
        LaunchConfig { grid_dim: (each * multiprocessors, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }

    /// Returns the clocks on a GPU; the emulator has no clock.
    fn clocks(&self, clocks: i64) -> Option<f64> {
        (!self.is_emulated()).then_some(clocks as f64)
    }
}

/// Returns the number of elements of the list, and of loop iterations. If a cache is to hold the list, there are as many
/// steps as lines.
fn size(unit: Unit) -> (usize, i32) {
    match unit {
        Unit::L1 => (1 << 12, 256),
        Unit::L2 => (1 << 22, 1 << 13),
        Unit::Memory => (1 << 28, 1 << 13),
        Unit::Add | Unit::Special | Unit::Shuffle | Unit::Shared => (1 << 10, 256),
    }
}

/// Returns the element that `at` must hold after these steps from element 0.
fn expected(unit: Unit, next: &[i32], steps: usize) -> i32 {
    match unit {
        Unit::Special => 1,
        // each launch begins where the previous one ended, and every link is below 32
        Unit::Shuffle => (0..steps).fold(0, |at: i32, _| next[at.unsigned_abs() as usize] % 32),
        _ => to_i32(steps * STRIDE % next.len()),
    }
}

/// Converts a count below 2^31.
fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
