//! Atomic additions, strided stores and loads, and reads from the L2 cache.

use crate::launch::{self, Additions, Chunks};
use common::ceilings::bench::launch::row;
use common::ceilings::bench::{Bench, FILLED, Ran, WARP_SIZE};
use common::error::Error;
use common::kernel::LoadedKernel;
use cudarc::driver::LaunchConfig;

/// Threads of a block of `13_atomics.cu`, of `14_stores.cu` and `18_strides.cu`, and of `15_cache.cu`.
const ATOMIC_BLOCK: u32 = 1024;
const STORE_BLOCK: u32 = 256;
const CACHE_BLOCK: u32 = 128;

/// Elements that a thread of `14_stores.cu` stores, and loads of 16 bytes per thread and iteration of `15_cache.cu`.
const STORES: u32 = 16;
const LOADS: u32 = 4;

/// Stores of 4 bytes of a run; they take a fraction of a millisecond on an H200.
const STORED: u32 = 1 << 28;
/// A multiple of 32 times the largest stride.
const EMULATED_STORED: u32 = 1 << 17;

/// Loads of 4 bytes of a run of `18_strides.cu`, and of a thread.
const LOADED: u32 = 1 << 26;
const STRIDED_LOADS: u32 = 8;

/// Bytes that a run reads from the L2 cache.
const READ_BYTES: u64 = 1 << 32;

/// Copies in flight of a block of `23_bulk.cu`.
const BULK_STAGES: u32 = 4;

/// Resident blocks per multiprocessor of `15_cache.cu`: 64 KiB in flight.
const CACHE_BLOCKS: u32 = 8;

/// Measures atomic additions of warps. The first launch is checked; the others add to its sums.
pub(super) fn atomics(
    bench: &Bench<'_>,
    kernel: &LoadedKernel,
    name: &str,
    addresses: u32,
    is_common: bool,
) -> Result<Ran, Error> {
    let is_shared = name.starts_with("addShared");
    let is_float = name.ends_with("Floats");
    let each = kernel.function.occupancy_max_active_blocks_per_multiprocessor(ATOMIC_BLOCK, 0, None).unwrap_or(1);
    let blocks = if bench.is_emulated() { 1 } else { bench.multiprocessors() * each.max(1) };
    let turns = if bench.is_emulated() { 2 } else { turns(is_shared, is_common) };
    let bits = |count: u32| if is_float { (count as f32).to_bits() } else { count };
    let at = bench.at(kernel, row(blocks, ATOMIC_BLOCK));
    let threads = at.threads();
    let apart = if is_common { 0 } else { WARP_SIZE };
    let additions = Additions { addresses, apart, term: bits(1), turns };
    let mut cells = bench.zeros::<u32>(threads as usize)?;
    bench.explained("launch", launch::atomics(&at, &mut cells, &additions))?;
    let sums = bench.read("add atomically", &cells)?;
    let (together, of) = match (is_shared, is_common) {
        (_, false) => (WARP_SIZE, WARP_SIZE),
        (true, true) => (ATOMIC_BLOCK, ATOMIC_BLOCK),
        (false, true) => (threads, threads),
    };
    let expected = |cell: u32| if cell % of < addresses { bits(together / addresses * turns) } else { 0 };
    let verified = (0..threads).map(expected).eq(sums);
    let time = bench.time(|| launch::atomics(&at, &mut cells, &additions))?;
    Ok(Ran { amount: f64::from(threads / WARP_SIZE * turns), verified, time })
}

/// Measures stores whose lanes are `stride` elements apart.
pub(super) fn stores(bench: &Bench<'_>, kernel: &LoadedKernel, stride: u32, bytes: u64) -> Result<Ran, Error> {
    let total = if bench.is_emulated() { EMULATED_STORED } else { STORED };
    let span = total.min(u32::try_from(bytes / 4).unwrap_or(STORED));
    let mut out = bench.zeros::<u32>(span as usize)?;
    let at = bench.at(kernel, row(total / (STORE_BLOCK * STORES), STORE_BLOCK));
    let time = bench.time(|| launch::stores(&at, &mut out, stride.trailing_zeros()))?;
    let out = bench.read("store", &out)?;
    Ok(Ran { amount: f64::from(total) * 4.0, verified: out.into_iter().eq(1..=span), time })
}

/// Measures loads whose lanes are `stride` elements apart.
pub(super) fn loads(bench: &Bench<'_>, kernel: &LoadedKernel, stride: u32, bytes: u64) -> Result<Ran, Error> {
    let (total, span) =
        if bench.is_emulated() { (EMULATED_STORED, EMULATED_STORED) } else { (LOADED, bytes as u32 / 4) };
    let data = bench.filled(span as usize)?;
    let at = bench.at(kernel, row(total / (STORE_BLOCK * STRIDED_LOADS), STORE_BLOCK));
    let mut sums = bench.zeros::<i32>((at.threads() / WARP_SIZE) as usize)?;
    let time = bench.time(|| launch::strided(&at, &data, &mut sums, span / stride, stride))?;
    let sums = bench.read("load", &sums)?;
    let expected = FILLED.wrapping_mul((WARP_SIZE * STRIDED_LOADS).cast_signed());
    Ok(Ran { amount: f64::from(total) * 4.0, verified: sums.iter().all(|sum| *sum == expected), time })
}

/// Measures stores of single words that are `stride` elements apart.
pub(super) fn sparse_stores(bench: &Bench<'_>, kernel: &LoadedKernel, stride: u32) -> Result<Ran, Error> {
    let total = if bench.is_emulated() { EMULATED_STORED } else { LOADED };
    let rows = total / stride;
    let mut out = bench.zeros::<i32>(total as usize * if bench.is_emulated() { 1 } else { 4 })?;
    let rows = rows.max(u32::try_from(out.len()).unwrap_or(u32::MAX) / stride);
    let at = bench.at(kernel, row(total / (STORE_BLOCK * STRIDED_LOADS), STORE_BLOCK));
    let time = bench.time(|| launch::sparse(&at, &mut out, rows, stride))?;
    let out = bench.read("store", &out)?;
    let stored = rows.min(total) as usize;
    let expected = |e: usize| i32::from(e.is_multiple_of(stride as usize) && e / (stride as usize) < stored);
    let verified = out.iter().enumerate().all(|(e, one)| *one == expected(e));
    Ok(Ran { amount: f64::from(total) * 4.0, verified, time })
}

/// Measures memory that is read and written.
pub(super) fn copies(bench: &Bench<'_>, kernel: &LoadedKernel, reads: u32) -> Result<Ran, Error> {
    let count = if bench.is_emulated() { EMULATED_STORED } else { LOADED } as usize;
    let data = bench.filled(count * (reads as usize).max(1))?;
    let mut out = bench.zeros::<i32>(count)?;
    let at = bench.at(kernel, row(CACHE_BLOCKS * bench.multiprocessors(), STORE_BLOCK));
    let time = bench.time(|| launch::copies(&at, &data, &mut out, reads))?;
    let out = bench.read("copy", &out)?;
    let expected = FILLED.wrapping_mul(reads.cast_signed());
    let amount = (reads + 1) as f64 * count as f64 * 4.0;
    Ok(Ran { amount, verified: out.iter().all(|one| *one == expected), time })
}

/// Measures atomic additions to cells that a hash chooses. The first launch is checked; the others add to its sums.
pub(super) fn scatter(bench: &Bench<'_>, kernel: &LoadedKernel, name: &str, cells: u32) -> Result<Ran, Error> {
    let each = kernel.function.occupancy_max_active_blocks_per_multiprocessor(ATOMIC_BLOCK, 0, None).unwrap_or(1);
    let (blocks, turns) = if bench.is_emulated() { (1, 2) } else { (bench.multiprocessors() * each.max(1), 64) };
    let at = bench.at(kernel, row(blocks, ATOMIC_BLOCK));
    let mut sums = bench.zeros::<i32>(cells as usize)?;
    bench.explained("launch", launch::scatter(&at, &mut sums, turns))?;
    let number = |bits: &i32| {
        if name == "leadFloats" { f64::from(f32::from_bits(bits.cast_unsigned())) } else { f64::from(*bits) }
    };
    let added: f64 = bench.read("add atomically", &sums)?.iter().map(number).sum();
    let time = bench.time(|| launch::scatter(&at, &mut sums, turns))?;
    let lanes = if name.starts_with("lead") { WARP_SIZE } else { 1 };
    let verified = added == f64::from(at.threads() / lanes) * f64::from(turns);
    Ok(Ran { amount: f64::from(at.threads() / WARP_SIZE * turns), verified, time })
}

/// Measures bytes that are read from the L2 cache.
pub(super) fn cache(bench: &Bench<'_>, kernel: &LoadedKernel, bytes: u64, sharing: u32) -> Result<Ran, Error> {
    let blocks = (CACHE_BLOCKS * bench.multiprocessors() / sharing).max(1) * sharing;
    let at = bench.at(kernel, row(blocks, CACHE_BLOCK));
    let each_turn = u64::from(at.threads() * LOADS) * 16;
    let turns = if bench.is_emulated() { 3 } else { READ_BYTES / each_turn };
    // a size that the grid passes in the middle of its third turn
    let bytes = if bench.is_emulated() { each_turn * 5 / 2 } else { bytes };
    let data = bench.filled((bytes / 4) as usize)?;
    let mut sums = bench.zeros::<i32>((at.threads() / WARP_SIZE) as usize)?;
    let turns = u32::try_from(turns).unwrap_or(u32::MAX);
    let time = bench.time(|| launch::cache(&at, &data, &mut sums, turns, sharing))?;
    let sums = bench.read("read from a cache", &sums)?;
    // modulo 2^32, as the kernel adds
    let of_a_warp = (WARP_SIZE * LOADS * 4).wrapping_mul(turns).cast_signed();
    let expected = FILLED.wrapping_mul(of_a_warp);
    let amount = each_turn as f64 * f64::from(turns);
    Ok(Ran { amount, verified: sums.iter().all(|sum| *sum == expected), time })
}

/// Measures bulk copies to shared memory.
pub(super) fn bulk_copies(
    bench: &Bench<'_>,
    kernel: &LoadedKernel,
    chunk: u32,
    sharing: u32,
    bytes: u64,
) -> Result<Ran, Error> {
    let shared_bytes = BULK_STAGES * chunk;
    kernel.allow_shared_bytes(bench.device, "copyBulk", shared_bytes)?;
    // All groups of blocks are whole.
    let blocks = (bench.multiprocessors() / sharing).max(1) * sharing;
    let of_a_turn = u64::from(blocks) * u64::from(chunk);
    let turns = if bench.is_emulated() { 6 } else { READ_BYTES / of_a_turn };
    let bytes = if bench.is_emulated() { 5 * of_a_turn } else { bytes };
    let data = bench.filled((bytes / 4) as usize)?;
    let mut sums = bench.zeros::<i32>(blocks as usize)?;
    let at = bench.at(kernel, LaunchConfig { shared_mem_bytes: shared_bytes, ..row(blocks, WARP_SIZE) });
    let turns = u32::try_from(turns).unwrap_or(u32::MAX);
    let chunks = Chunks { bytes: chunk, sharing, turns };
    let time = bench.time(|| launch::bulk(&at, &data, &mut sums, &chunks))?;
    let sums = bench.read("copy in bulk", &sums)?;
    let expected = FILLED.wrapping_mul(turns.cast_signed());
    let amount = of_a_turn as f64 * f64::from(turns);
    Ok(Ran { amount, verified: sums.iter().all(|sum| *sum == expected), time })
}

/// Returns the additions of a thread: fewer if all warps wait for each other. Sums stay below 2²⁴, so exact in single
/// precision.
fn turns(is_shared: bool, is_common: bool) -> u32 {
    match (is_shared, is_common) {
        (_, false) => 512,
        (true, true) => 64,
        (false, true) => 16,
    }
}
