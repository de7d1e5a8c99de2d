//! The kernels of a step and their launches.

use super::FLOATS;
use crate::forces::ForcesOf;
use crate::ranks::rank::Rank;
use common::kernel::KernelSource;
use common::problem::as_i32;
use common::problem::galaxy::TIME_STEP;
use common::{Error, kernel_source};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use std::sync::Arc;

/// The file of the kernel that moves bodies.
pub const SOURCE: KernelSource = kernel_source!("03_move_bodies", rust);

const BLOCK: u32 = 256;

/// Bodies that move, and their accelerations.
pub struct Bodies {
    /// x, y, z and mass.
    pub position: CudaSlice<f32>,
    /// The velocities.
    pub velocity: CudaSlice<f32>,
    /// The accelerations, three rows; zero between steps.
    pub pulls: CudaSlice<f32>,
}

/// The kernels of a step.
pub struct Kernels {
    /// Adds accelerations.
    pub pulls_of: ForcesOf,
    move_bodies: CudaFunction,
}

impl Bodies {
    /// Copies bodies to the device.
    pub fn new(rank: &Rank, position: &[f32], velocity: &[f32]) -> Result<Self, Error> {
        let pulls = rank.zeros(3 * position.len() / FLOATS)?;
        Ok(Self { position: rank.upload(position)?, velocity: rank.upload(velocity)?, pulls })
    }
}

impl Kernels {
    /// Loads the kernels.
    pub fn load(rank: &Rank) -> Result<Self, Error> {
        Ok(Self { pulls_of: ForcesOf::load(rank, "pulls_of")?, move_bodies: rank.kernel(&SOURCE, "move_bodies")? })
    }

    /// Moves the bodies, and resets their accelerations to zero.
    pub fn advance(&self, stream: &Arc<CudaStream>, bodies: &mut Bodies) -> Result<(), DriverError> {
        let n = as_i32(bodies.position.len() / FLOATS);
        let mut arguments = stream.launch_builder(&self.move_bodies);
        arguments.arg(&mut bodies.position).arg(&mut bodies.velocity).arg(&mut bodies.pulls).arg(&n).arg(&TIME_STEP);
        let blocks = n.cast_unsigned().div_ceil(BLOCK);
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel has these parameters; both arrays have n bodies of four floats, `pulls` has three rows of
        // n, and no thread accesses elements beyond these.
        unsafe { arguments.launch(config) }.map(drop)
    }
}
