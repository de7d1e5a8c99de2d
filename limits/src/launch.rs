//! The launches: arguments in the order of the kernels' parameters, through cudarc.

use common::kernel::LoadedKernel;
use cudarc::driver::{CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use std::sync::Arc;

/// What a loop of arithmetic leaves.
pub struct Outputs {
    /// One value per thread of the grid.
    pub values: CudaSlice<f32>,
    /// Cycles and nanoseconds of one thread.
    pub elapsed: CudaSlice<i64>,
}

/// `(out, elapsed, a, b, turns)`.
pub fn arithmetic(
    stream: &Arc<CudaStream>,
    kernel: &LoadedKernel,
    config: LaunchConfig,
    outputs: &mut Outputs,
    turns: i32,
) -> Result<(), DriverError> {
    let mut arguments = stream.launch_builder(&kernel.function);
    arguments.arg(&mut outputs.values).arg(&mut outputs.elapsed).arg(&1.0_f32).arg(&1.0_f32).arg(&turns);
    // SAFETY: the kernels have these parameters; `values` has a float per thread of the grid and `elapsed` two words.
    unsafe { arguments.launch(config) }.map(drop)
}

/// `(data, sums)`.
pub fn memory(
    stream: &Arc<CudaStream>,
    kernel: &LoadedKernel,
    config: LaunchConfig,
    data: &CudaSlice<i32>,
    sums: &mut CudaSlice<i32>,
) -> Result<(), DriverError> {
    let mut arguments = stream.launch_builder(&kernel.function);
    arguments.arg(data).arg(sums);
    // SAFETY: the kernel has these parameters; `data` has 16 integers per thread of the grid and `sums` one per warp.
    unsafe { arguments.launch(config) }.map(drop)
}

/// `()`.
pub fn empty(stream: &Arc<CudaStream>, kernel: &LoadedKernel) -> Result<(), DriverError> {
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel has no parameters and touches no memory.
    unsafe { stream.launch_builder(&kernel.function).launch(config) }.map(drop)
}
