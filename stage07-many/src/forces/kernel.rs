//! The kernel forces_of and its launch.

use super::FLOATS;
use crate::ranks::rank::{Doing, Rank};
use common::kernel::KernelSource;
use common::problem::as_i32;
use common::{Error, kernel_source};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, CudaView, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

/// The file of forces_of, which also contains pulls_of.
pub const SOURCE: KernelSource = kernel_source!("01_forces_of", rust);

const BLOCK: u32 = 128;
/// The number of targets per block.
const TARGETS: u32 = 4 * BLOCK;

/// Enough blocks to make the tail effect small on today's largest GPUs, if slices of one tile each suffice for as many.
const ENOUGH_BLOCKS: u64 = 2048;
/// The maximum number of tiles per slice: with this many, the fixed cost of a block is negligible, and more blocks
/// balance better.
const MAX_TILES: u64 = 32;

/// The kernel that adds forces, or the one that adds accelerations.
#[derive(Debug)]
pub struct ForcesOf {
    function: CudaFunction,
    multiprocessors: u32,
}

impl ForcesOf {
    /// Loads the kernel with this entry point.
    ///
    /// # Errors
    /// [`Error::Kernel`].
    pub fn load(rank: &Rank, entry: &str) -> Result<Self, Error> {
        Ok(Self { function: rank.kernel(&SOURCE, entry)?, multiprocessors: rank.multiprocessors() })
    }

    /// Loads the kernel on another device of the process.
    ///
    /// # Errors
    /// [`Error::Kernel`], [`Error::Driver`].
    pub fn load_on(rank: &Rank, context: &Arc<CudaContext>) -> Result<Self, Error> {
        let module =
            context.load_module(Ptx::from_src(SOURCE.written(rank.in_rust).ptx())).doing("cannot load forces_of")?;
        let function = module.load_function("forces_of").doing("cannot load forces_of")?;
        Ok(Self { function, multiprocessors: rank.multiprocessors() })
    }

    /// Adds to `sums` the forces that the sources exert on the targets, or the accelerations.
    ///
    /// # Errors
    /// Errors of the launch.
    pub fn add(
        &self,
        stream: &Arc<CudaStream>,
        targets: &CudaView<f32>,
        sources: &CudaView<f32>,
        sums: &mut CudaSlice<f32>,
    ) -> Result<(), DriverError> {
        let counts = [targets, sources].map(|bodies| as_i32(bodies.len() / FLOATS));
        assert_eq!(sums.len(), 3 * targets.len() / FLOATS, "a row of forces for each component");
        let mut arguments = stream.launch_builder(&self.function);
        arguments.arg(targets).arg(&counts[0]).arg(sources).arg(&counts[1]).arg(sums);
        // SAFETY: the kernel has these parameters; targets and sources have `counts` bodies of four floats, `sums` has
        // three rows of as many elements as there are targets, and no thread accesses elements beyond these.
        unsafe { arguments.launch(shape(counts.map(i32::cast_unsigned), self.multiprocessors)) }.map(drop)
    }
}

/// Returns blocks along x for the targets and along y for slices of the sources. Of the numbers of slices from `enough`
/// to a quarter more, it chooses the one with the smallest tail effect, that is, with the fewest idle multiprocessors
/// in the last wave: of 4096 blocks on 132 multiprocessors, 4 multiprocessors have one more than the others, which wait
/// for them.
#[must_use]
pub fn shape([targets, sources]: [u32; 2], multiprocessors: u32) -> LaunchConfig {
    let across = targets.div_ceil(TARGETS);
    let tiles = sources.div_ceil(BLOCK);
    let each = (u64::from(across) * u64::from(tiles) / ENOUGH_BLOCKS).clamp(1, MAX_TILES) as u32;
    let enough = tiles.div_ceil(each);
    let rounds = |slices: u32| (across * slices).div_ceil(multiprocessors);
    // waves of blocks, each of a length proportional to its share of the sources
    let time = |slices: u32| f64::from(rounds(slices)) / f64::from(slices);
    let slices = (enough..=(enough + enough / 4).min(tiles)).min_by(|&a, &b| time(a).total_cmp(&time(b)));
    LaunchConfig { grid_dim: (across, slices.unwrap_or(enough), 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_fill_a_chip_and_never_outnumber_tiles() {
        let grid = |targets, sources| shape([targets, sources], 132).grid_dim;
        assert_eq!(grid(1, 1), (1, 1, 1));
        assert_eq!(grid(1000, 129), (2, 2, 1));
        assert_eq!(grid(16384, 16384), (32, 66, 1));
        assert_eq!(grid(8192, 8192), (16, 64, 1));
        assert_eq!(grid(1 << 16, 1 << 17), (128, 33, 1));
        assert_eq!(grid(1 << 20, 1 << 20), (2048, 264, 1));
    }
}
