//! Blocks that do little.

use super::Body;
use super::run::{Ran, row};
use crate::Bench;
use crate::bench::{BYTE, fill};
use crate::launch;
use common::error::Error;
use common::kernel::LoadedKernel;
use cudarc::driver::{CudaSlice, DriverError};

/// Integers of all blocks, as many as the largest sums of the course have.
const INTEGERS: u32 = 1 << 26;
const EMULATED_INTEGERS: u32 = 1 << 12;

/// The last integer; the others are positive.
const MARK: i32 = -1;

impl Bench {
    /// Measures starts of blocks.
    pub(super) fn starts(&self, kernel: &LoadedKernel, body: Body, threads: u32) -> Result<Ran, Error> {
        let integers = if self.is_emulated() { EMULATED_INTEGERS } else { INTEGERS };
        let blocks = integers / threads;
        let stream = &self.device.stream;
        let data = self.explained("fill memory", self.marked(integers as usize))?;
        let mut out = self.explained("allocate", stream.alloc_zeros::<i32>(blocks as usize))?;
        let time = self.time(|| launch::reading(stream, kernel, row(blocks, threads), &data, &mut out))?;
        let out = self.explained("run blocks", stream.clone_dtoh(&out))?;
        let (last, others) = out.split_last().map_or((0, &out[..]), |(last, others)| (*last, others));
        let verified =
            (others.iter().all(|one| *one == ordinary(body, threads)), last) == (true, marked(body, threads));
        Ok(Ran { amount: blocks.into(), verified, time })
    }

    /// Returns integers of which the last is [`MARK`].
    fn marked(&self, count: usize) -> Result<CudaSlice<i32>, DriverError> {
        let mut data = self.device.stream.alloc_zeros(count)?;
        fill(&self.device, &mut data)?;
        self.device.stream.memcpy_htod(&[MARK], &mut data.slice_mut(count - 1..))?;
        Ok(data)
    }
}

/// Returns the output of a block whose integers all consist of [`BYTE`].
fn ordinary(body: Body, threads: u32) -> i32 {
    match body {
        Body::Empty | Body::Reading => 0,
        Body::Tree => i32::from_ne_bytes([BYTE; 4]).wrapping_mul(threads.cast_signed()),
    }
}

/// Returns the output of the block whose last integer is [`MARK`].
fn marked(body: Body, threads: u32) -> i32 {
    match body {
        Body::Empty => 0,
        Body::Reading => threads.cast_signed(),
        Body::Tree => ordinary(body, threads - 1).wrapping_add(MARK),
    }
}
