//! Runs a measurement, checks the kernel's results and reads its clock.

use super::{Measured, Point, Quantity, Unit};
use crate::launch::{Links, flight, links};
use common::ceilings::bench::launch::{arithmetic, row};
use common::ceilings::bench::{Bench, FILLED, WARP_SIZE, prebuilt_version};
use common::error::Error;
use common::kernel::LoadedKernel;
use cudarc::driver::LaunchConfig;

/// Steps per loop iteration of `07_chains.cu`, and of `08_answers.cu`, `17_pipes.cu` and `22_asynchronous.cu`.
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

/// Runs one measurement. A wrong result is recorded, not an error.
///
/// # Errors
/// [`Error::Kernel`] or [`Error::Driver`].
pub fn measure(bench: &mut Bench<'_>, point: &Point) -> Result<Measured, Error> {
    let kernel = bench.load(&point.source, point.kernel)?;
    let (value, verified) = match point.quantity {
        Quantity::Issue => chains(bench, &kernel, point)?,
        Quantity::Answer => answer(bench, &kernel, point)?,
        Quantity::Read => reads(bench, &kernel, point)?,
    };
    Ok(Measured {
        quantity: point.quantity,
        unit: point.unit,
        kernel: point.kernel.into(),
        independent: point.independent,
        warps: point.warps,
        value,
        made: bench.provenance(&kernel, prebuilt_version(&kernel, &point.source)),
        verified,
    })
}

/// Measures the instructions of a scheduler's warps per clock, until the last warp ends.
fn chains(bench: &Bench<'_>, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
    let turns = if bench.is_emulated() { 1 } else { 512 };
    let at = bench.at(kernel, resident(bench, point.warps, CHAIN_BLOCK));
    let mut outputs = bench.outputs(&at)?;
    // the first launch fills the instruction caches
    for _ in 0..2 {
        bench.explained("launch", arithmetic(&at, &mut outputs, turns))?;
    }
    let values = bench.read("run chains of arithmetic", &outputs.values)?;
    let elapsed = bench.read("copy clocks", &outputs.elapsed)?;
    let chains = point.independent;
    let steps = CHAIN_STEPS * turns.unsigned_abs();
    let expected = (chains * (chains - 1) / 2 + chains * steps) as f32;
    let instructions = f64::from(chains * steps * (point.warps / super::SCHEDULERS));
    Ok((clocks(bench, elapsed[0]).map(|clocks| instructions / clocks), values.iter().all(|sum| *sum == expected)))
}

/// Measures the clocks per step.
fn answer(bench: &Bench<'_>, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
    let (count, turns) = if bench.is_emulated() { (1 << 12, 1) } else { size(point.unit) };
    let next: Vec<i32> = (0..count).map(|k| to_i32((k + STRIDE) % count)).collect();
    let next = if point.unit.is_checked_by_kernel() { vec![0] } else { next };
    let copied = bench.explained("allocate", bench.device.stream.clone_htod(&next))?;
    let mut list = Links { next: copied, at: bench.zeros(1)?, elapsed: bench.zeros(1)? };
    let at = bench.at(kernel, row(1, point.warps * WARP_SIZE));
    // the first launch fills the caches; the second continues at its last element, in lines that were not read yet
    for _ in 0..2 {
        bench.explained("launch", links(&at, &mut list, turns))?;
    }
    let reached = bench.read("follow links", &list.at)?[0];
    let elapsed = bench.read("copy clocks", &list.elapsed)?;
    let steps = (LINK_STEPS * turns.unsigned_abs()) as usize;
    let right = reached == expected(point.unit, &next, 2 * steps);
    Ok((clocks(bench, elapsed[0]).map(|clocks| clocks / steps as f64), right))
}

/// Measures the bytes read per second.
fn reads(bench: &Bench<'_>, kernel: &LoadedKernel, point: &Point) -> Result<Ran, Error> {
    let at = bench.at(kernel, resident(bench, point.warps, READ_BLOCK));
    let threads = at.threads() as usize;
    let each = 4 * point.independent as usize;
    let rounds = (bench.integers()? / (threads * each)).max(1);
    let count = rounds * threads * each;
    let data = bench.filled(count)?;
    let mut sums = bench.zeros::<i32>(threads / WARP_SIZE as usize)?;
    let time = bench.time(|| flight(&at, &data, &mut sums, to_i32(count / 4)))?;
    let sums = bench.read("read memory", &sums)?;
    // modulo 2^32, as the kernel adds
    let of_a_warp = to_i32(rounds * each * WARP_SIZE as usize);
    let expected = FILLED.wrapping_mul(of_a_warp);
    let bytes = (count * size_of::<i32>()) as f64;
    Ok((time.map(|time| bytes / (time.median / 1e3)), sums.iter().all(|sum| *sum == expected)))
}

/// Returns a launch with this many resident warps per multiprocessor; for one multiprocessor on the emulator.
fn resident(bench: &Bench<'_>, warps: u32, most: u32) -> LaunchConfig {
    let block = most.min(warps * WARP_SIZE);
    row(warps * WARP_SIZE / block * bench.multiprocessors(), block)
}

/// Returns the clocks on a GPU; the emulator has no clock.
fn clocks(bench: &Bench<'_>, clocks: i64) -> Option<f64> {
    (!bench.is_emulated()).then_some(clocks as f64)
}

/// Returns the number of elements of the list, and of loop iterations. If a cache is to hold the list, there are as many
/// steps as lines.
fn size(unit: Unit) -> (usize, i32) {
    match unit {
        Unit::L1 => (1 << 12, 256),
        Unit::L2 | Unit::BulkCopy => (1 << 22, 1 << 13),
        Unit::Memory => (1 << 28, 1 << 13),
        _ => (1 << 10, 256),
    }
}

/// Returns the element that `at` must hold after these steps from element 0.
fn expected(unit: Unit, next: &[i32], steps: usize) -> i32 {
    match unit {
        unit if unit.is_checked_by_kernel() => 1,
        // each launch begins where the previous one ended, and every link is below 32
        Unit::Shuffle => (0..steps).fold(0, |at: i32, _| next[at.unsigned_abs() as usize] % 32),
        _ => to_i32(steps * STRIDE % next.len()),
    }
}

/// Converts a count below 2^31.
fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
