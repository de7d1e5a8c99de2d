//! Blocks that do little.

use super::Body;
use common::ceilings::bench::launch::{reading, row};
use common::ceilings::bench::{Bench, FILLED, Ran};
use common::error::Error;
use common::kernel::LoadedKernel;

/// Integers of all blocks, as many as the largest sums of the course have.
const INTEGERS: u32 = 1 << 26;
const EMULATED_INTEGERS: u32 = 1 << 12;

/// Integers of the arrays of `19_ends.cu`.
const WRAP: usize = 1 << 22;

/// The last integer; the others are positive.
const MARK: i32 = -1;

/// Measures starts of blocks.
pub(super) fn starts(bench: &Bench<'_>, kernel: &LoadedKernel, body: Body, threads: u32) -> Result<Ran, Error> {
    let integers = if bench.is_emulated() { EMULATED_INTEGERS } else { INTEGERS };
    let blocks = integers / threads;
    let mut data = bench.filled(integers as usize)?;
    let last = &mut data.slice_mut(integers as usize - 1..);
    bench.explained("fill memory", bench.device.stream.memcpy_htod(&[MARK], last))?;
    let mut out = bench.zeros::<i32>(blocks as usize)?;
    let at = bench.at(kernel, row(blocks, threads));
    let time = bench.time(|| reading(&at, &data, &mut out))?;
    let out = bench.read("run blocks", &out)?;
    let (last, others) = out.split_last().map_or((0, &out[..]), |(last, others)| (*last, others));
    let verified = (others.iter().all(|one| *one == ordinary(body, threads)), last) == (true, marked(body, threads));
    Ok(Ran { amount: blocks.into(), verified, time })
}

/// Measures blocks that end after a store.
pub(super) fn ends(bench: &Bench<'_>, kernel: &LoadedKernel, copies: bool, threads: u32) -> Result<Ran, Error> {
    let blocks = if bench.is_emulated() { EMULATED_INTEGERS } else { INTEGERS } / threads;
    let data = bench.filled(WRAP)?;
    let mut out = bench.zeros::<i32>(WRAP)?;
    let at = bench.at(kernel, row(blocks, threads));
    let time = bench.time(|| reading(&at, &data, &mut out))?;
    let out = bench.read("store", &out)?;
    let mut stored = out.iter().take((blocks * threads) as usize).enumerate();
    let verified = stored.all(|(t, one)| *one == if copies { FILLED } else { t as i32 });
    Ok(Ran { amount: blocks.into(), verified, time })
}

/// Returns the output of a block whose integers all are [`FILLED`].
fn ordinary(body: Body, threads: u32) -> i32 {
    match body {
        Body::Empty | Body::Reading | Body::Storing | Body::Copying => 0,
        Body::Tree => FILLED.wrapping_mul(threads.cast_signed()),
    }
}

/// Returns the output of the block whose last integer is [`MARK`].
fn marked(body: Body, threads: u32) -> i32 {
    match body {
        Body::Empty | Body::Storing | Body::Copying => 0,
        Body::Reading => threads.cast_signed(),
        Body::Tree => ordinary(body, threads - 1).wrapping_add(MARK),
    }
}
