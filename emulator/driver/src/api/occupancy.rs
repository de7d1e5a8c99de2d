//! Occupancy: the number of blocks of a function that fit on a multiprocessor.

use crate::arguments::Out;
use crate::boundary::api;
use crate::device_properties::DEFAULT_CAPABILITY;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::current;
use crate::state::{Function, Handle};
use emulator::Resources;
use std::ffi::{c_int, c_uint};

/// `CUoccupancyB2DSize`: a function that returns the dynamic shared memory in bytes for a block size, or null.
type DynamicBytes = Option<unsafe extern "C" fn(c_int) -> usize>;

/// `CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE`, the only flag, which has no effect.
const DISABLE_CACHING_OVERRIDE: c_uint = 1;

fn function(function: Handle<Function>) -> Outcome<Resources> {
    Ok(current()?.driver.functions.get(function)?.resources())
}

fn require_flags(flags: c_uint) -> Outcome {
    require(flags & !DISABLE_CACHING_OVERRIDE == 0, format_args!("occupancy flags {flags:#x}"))
}

/// Fails on a chip whose rules the emulator does not have.
fn require_rules() -> Outcome {
    let known = current()?.chip().capability == DEFAULT_CAPABILITY;
    CUresult::NOT_SUPPORTED.unless(known, "the emulator chooses block sizes for compute capability 9.0 alone")
}

/// Returns `value`. Fails if it is below `least`.
fn at_least(least: u32, value: c_int, noun: &str) -> Outcome<u32> {
    let wrong = || invalid(format!("a {noun} of {value}: must be at least {least}"));
    u32::try_from(value).ok().filter(|&value| value >= least).ok_or_else(wrong)
}

fn blocks(count: Out<c_int>, handle: Handle<Function>, threads: c_int, dynamic_bytes: usize) -> Outcome {
    let resources = function(handle)?;
    let threads = at_least(1, threads, "block size")?;
    count.set(current()?.chip().resident_blocks(&resources, threads, dynamic_bytes) as c_int)
}

fn best_block(
    grid: Out<c_int>,
    block: Out<c_int>,
    handle: Handle<Function>,
    dynamic_bytes_of: DynamicBytes,
    dynamic_bytes: usize,
    limit: c_int,
) -> Outcome {
    let resources = function(handle)?;
    require_rules()?;
    grid.require()?;
    let limit = at_least(0, limit, "block size limit")?;
    let (threads, blocks) = resources.best_block(limit, |threads| match dynamic_bytes_of {
        // SAFETY: the caller promises that the function may be called with a block size.
        Some(of_block) => unsafe { of_block(threads as c_int) },
        None => dynamic_bytes,
    });
    block.set(threads as c_int)?;
    let current = current()?;
    grid.set((blocks * current.driver.properties(&current.context).multiprocessors) as c_int)
}

api! {
    /// Writes the number of blocks that fit on a multiprocessor.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        count: Out<c_int>,
        function: Handle<Function>,
        threads: c_int,
        dynamic_bytes: usize,
    ) {
        blocks(count, function, threads, dynamic_bytes)
    }

    /// Writes the number of blocks that fit on a multiprocessor.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: Out<c_int>,
        function: Handle<Function>,
        threads: c_int,
        dynamic_bytes: usize,
        flags: c_uint,
    ) {
        require_flags(flags)?;
        blocks(count, function, threads, dynamic_bytes)
    }

    /// Writes the block size with the highest occupancy, and the number of such blocks that fill the device.
    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<c_int>,
        block: Out<c_int>,
        function: Handle<Function>,
        dynamic_bytes_of: DynamicBytes,
        dynamic_bytes: usize,
        limit: c_int,
    ) {
        best_block(grid, block, function, dynamic_bytes_of, dynamic_bytes, limit)
    }

    /// Writes the block size with the highest occupancy, and the number of such blocks that fill the device.
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<c_int>,
        block: Out<c_int>,
        function: Handle<Function>,
        dynamic_bytes_of: DynamicBytes,
        dynamic_bytes: usize,
        limit: c_int,
        flags: c_uint,
    ) {
        require_flags(flags)?;
        best_block(grid, block, function, dynamic_bytes_of, dynamic_bytes, limit)
    }

    /// Writes the dynamic shared memory in bytes that is available to each of `count` blocks on a multiprocessor.
    fn cuOccupancyAvailableDynamicSMemPerBlock(
        dynamic_bytes: Out<usize>,
        function: Handle<Function>,
        count: c_int,
        threads: c_int,
    ) {
        let resources = self::function(function)?;
        require_rules()?;
        let count = at_least(1, count, "number of blocks")?;
        let threads = at_least(1, threads, "block size")?;
        let detail = || format!("{count} blocks of {threads} threads do not fit on a multiprocessor");
        let crowded = || invalid(detail());
        dynamic_bytes.set(resources.available_dynamic_bytes(count, threads).ok_or_else(crowded)?)
    }
}
