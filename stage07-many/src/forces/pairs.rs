//! The kernels forces_within and forces_between and their launches.

use super::FLOATS;
use crate::ranks::rank::Rank;
use common::kernel::KernelSource;
use common::problem::as_i32;
use common::{Error, kernel_source};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use std::ops::Range;
use std::sync::Arc;

/// The file of both kernels.
pub const SOURCE: KernelSource = kernel_source!("02_forces_between", rust);

/// A small block, which spreads the few pairs of tiles of a rank's share over all multiprocessors.
const BLOCK: u32 = 64;
/// One warp per pair of tiles.
const WARPS: u32 = BLOCK / emulator::WARP_SIZE as u32;
/// Bodies per tile.
const TILE: u32 = 256;

/// The kernels that compute each pair of bodies once.
#[derive(Debug)]
pub struct Pairs {
    within: CudaFunction,
    between: CudaFunction,
}

impl Pairs {
    /// Loads the kernels.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn load(rank: &Rank) -> Result<Self, Error> {
        Ok(Self { within: rank.kernel(&SOURCE, "forces_within")?, between: rank.kernel(&SOURCE, "forces_between")? })
    }

    /// Adds the forces between the bodies of one rank to its forces, in an array of three rows per rank.
    ///
    /// # Errors
    /// Errors of the launch.
    pub fn within(
        &self,
        stream: &Arc<CudaStream>,
        bodies: &CudaSlice<f32>,
        forces: &mut CudaSlice<f32>,
        rank: usize,
    ) -> Result<(), DriverError> {
        let room = bodies.len() / FLOATS;
        let count = as_i32(room);
        let mut own = forces.slice_mut(3 * rank * room..3 * (rank + 1) * room);
        let mut arguments = stream.launch_builder(&self.within);
        arguments.arg(bodies).arg(&count).arg(&mut own).arg(&count);
        let tiles = count.cast_unsigned().div_ceil(TILE);
        // SAFETY: the kernel has these parameters; there are `count` bodies of four floats and three rows of as many
        // forces, and no thread accesses elements beyond either.
        unsafe { arguments.launch(shape(tiles * (tiles + 1) / 2)) }.map(drop)
    }

    /// Adds the forces between bodies of two ranks, in both directions, to the forces of both ranks.
    ///
    /// # Errors
    /// Errors of the launch.
    pub fn between(
        &self,
        stream: &Arc<CudaStream>,
        all: &CudaSlice<f32>,
        forces: &mut CudaSlice<f32>,
        room: usize,
        [left, right]: [(usize, Range<usize>); 2],
    ) -> Result<(), DriverError> {
        let bodies = |(rank, range): &(usize, Range<usize>)| {
            let first = rank * room;
            all.slice(FLOATS * (first + range.start)..FLOATS * (first + range.end))
        };
        let left_bodies = bodies(&left);
        let right_bodies = bodies(&right);
        let [left_count, right_count] = [&left.1, &right.1].map(|range| as_i32(range.len()));
        let stride = as_i32(room);
        // two disjoint parts of one array, split for the borrow checker
        let is_in_order = left.0 < right.0;
        let (lower, upper) = if is_in_order { (&left, &right) } else { (&right, &left) };
        let (mut below, mut above) = forces.split_at_mut(3 * upper.0 * room);
        let mut lower = below.slice_mut(3 * lower.0 * room + lower.1.start..3 * (lower.0 + 1) * room);
        let mut upper = above.slice_mut(upper.1.start..3 * room);
        let (left_forces, right_forces) = if is_in_order { (&mut lower, &mut upper) } else { (&mut upper, &mut lower) };
        let mut arguments = stream.launch_builder(&self.between);
        arguments.arg(&left_bodies).arg(&left_count).arg(left_forces);
        arguments.arg(&right_bodies).arg(&right_count).arg(right_forces).arg(&stride);
        let tiles = [left_count, right_count].map(|count| count.cast_unsigned().div_ceil(TILE));
        // SAFETY: the kernel has these parameters; each side has its count of bodies and three rows of `room` forces,
        // which begin with the force on its first body, and no thread accesses elements beyond the counts.
        unsafe { arguments.launch(shape(tiles[0] * tiles[1])) }.map(drop)
    }
}

/// Returns blocks with one warp per pair of tiles.
fn shape(pairs: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (pairs.div_ceil(WARPS), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}
