//! The launches, with arguments in the order of the kernels' parameters.

use crate::kernel::LoadedKernel;
use cudarc::driver::{CudaSlice, CudaStream, DriverError, LaunchArgs, LaunchConfig, PushKernelArg};
use std::sync::Arc;

/// A kernel, and where and in which shape it is launched.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The stream.
    pub stream: &'a Arc<CudaStream>,
    /// The kernel.
    pub kernel: &'a LoadedKernel,
    /// The launch shape.
    pub config: LaunchConfig,
}

impl<'a> At<'a> {
    /// Returns the threads of the grid.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.config.grid_dim.0 * self.config.block_dim.0
    }

    /// Returns a launch without arguments yet.
    #[must_use]
    pub fn arguments(&self) -> LaunchArgs<'a> {
        self.stream.launch_builder(&self.kernel.function)
    }
}

/// Returns a launch shape with one axis.
#[must_use]
pub fn row(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// The answer of the driver to a launch.
pub type Launched = Result<(), DriverError>;

/// The outputs of a loop of arithmetic.
#[derive(Debug)]
pub struct Outputs {
    /// One value per thread of the grid.
    pub values: CudaSlice<f32>,
    /// Cycles and nanoseconds of one thread.
    pub elapsed: CudaSlice<i64>,
}

/// Launches a kernel with the parameters `(out, elapsed, a, b, turns)`.
///
/// # Errors
/// The driver's.
pub fn arithmetic(at: &At<'_>, outputs: &mut Outputs, turns: i32) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(&mut outputs.values).arg(&mut outputs.elapsed).arg(&1.0_f32).arg(&1.0_f32).arg(&turns);
    // SAFETY: the kernels have these parameters; `values` has a float per thread of the grid and `elapsed` two words.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, out)`.
///
/// # Errors
/// The driver's.
pub fn reading(at: &At<'_>, data: &CudaSlice<i32>, out: &mut CudaSlice<i32>) -> Launched {
    let mut arguments = at.arguments();
    arguments.arg(data).arg(out);
    // SAFETY: the kernels have these parameters; `data` has as many integers per thread of the grid as a kernel reads, and `out`
    // one per warp or, of `11_starts.cu`, one per block.
    unsafe { arguments.launch(at.config) }.map(drop)
}

/// Launches a kernel without parameters.
///
/// # Errors
/// The driver's.
pub fn empty(at: &At<'_>) -> Launched {
    // SAFETY: the kernel has no parameters and accesses no memory.
    unsafe { at.arguments().launch(at.config) }.map(drop)
}
