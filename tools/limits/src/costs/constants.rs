//! Loads of constant memory at indices that the compiler cannot compute.

use crate::launch;
use common::ceilings::bench::launch::row;
use common::ceilings::bench::{Bench, Ran, WARP_SIZE};
use common::error::Error;
use common::kernel::LoadedKernel;
use cudarc::driver::DriverError;

/// The variable in constant memory, and its size in words.
const LINKS: &str = "links";
const WORDS: usize = 1 << 14;

/// Loads per loop iteration of `chaseConstant`.
const STEPS: usize = 16;

/// Words from a link to the next: a line of 64 bytes and a word, so that each is in another line, and a chain does not end where it
/// began.
const STRIDE: usize = 17;

/// Threads of a block of `streamConstant`.
const BLOCK: u32 = 128;

/// Loads of 16 bytes of each warp of `streamConstant`.
const LOADS: u32 = 1 << 14;

/// Measures loads of one warp, each of which waits for the one before it.
pub(super) fn constant_chain(bench: &Bench<'_>, kernel: &LoadedKernel, bytes: u32, words: u32) -> Result<Ran, Error> {
    let turns: u32 = if bench.is_emulated() { 2 } else { 1 << 12 };
    let count = bytes as usize / 4;
    let steps = STEPS * turns as usize;
    let links: Vec<u32> = (0..WORDS).map(|word| offset((word + STRIDE) % count)).collect();
    bench.explained("copy constants", set_links(bench, kernel, &links))?;
    let places: Vec<u32> = (0..32).map(|lane| offset(lane % words as usize)).collect();
    let at = bench.at(kernel, row(1, WARP_SIZE));
    let mut reached = bench.explained("allocate", bench.device.stream.clone_htod(&places))?;
    bench.explained("launch", launch::constant_chain(&at, &mut reached, turns))?;
    let ends = bench.read("follow links", &reached)?;
    let expected = (0..32).map(|lane| offset((lane % words as usize + STRIDE * steps) % count));
    let time = bench.time(|| launch::constant_chain(&at, &mut reached, turns))?;
    Ok(Ran { amount: steps as f64, verified: ends.into_iter().eq(expected), time })
}

/// Measures loads of many warps, which do not wait for each other.
pub(super) fn constant_stream(bench: &Bench<'_>, kernel: &LoadedKernel, bytes: u32, warps: u32) -> Result<Ran, Error> {
    let count = bytes / 4;
    let each = bytes / 16;
    let turns = if bench.is_emulated() { 1 } else { LOADS / each };
    let values: Vec<u32> = (0..1 << 14).map(|word| value(word).to_bits()).collect();
    bench.explained("copy constants", set_links(bench, kernel, &values))?;
    let warps = warps * bench.multiprocessors();
    let mut sums = bench.zeros::<f32>(warps as usize)?;
    let at = bench.at(kernel, row(warps * WARP_SIZE / BLOCK, BLOCK));
    let time = bench.time(|| launch::constant_stream(&at, &mut sums, count, turns))?;
    let sums = bench.read("read constants", &sums)?;
    // below 2^24, so exact in any order
    let expected = (0..count).map(value).sum::<f32>() * turns as f32;
    let amount = f64::from(warps) * f64::from(bytes * turns);
    Ok(Ran { amount, verified: sums.iter().all(|sum| *sum == expected), time })
}

fn set_links(bench: &Bench<'_>, kernel: &LoadedKernel, links: &[u32]) -> Result<(), DriverError> {
    let bytes: Vec<u8> = links.iter().flat_map(|link| link.to_ne_bytes()).collect();
    let mut constant = kernel.module.module.get_global(LINKS, &bench.device.stream)?;
    bench.device.stream.memcpy_htod(&bytes, &mut constant)
}

/// Returns the value of a word of `streamConstant`.
fn value(word: u32) -> f32 {
    (word % 8) as f32
}

/// Returns the offset of a word in bytes. There are fewer than 2³⁰ words.
fn offset(word: usize) -> u32 {
    u32::try_from(4 * word).unwrap_or(u32::MAX)
}
