//! The launch of problem F's kernels: arguments in the order of the kernels' parameters, through cudarc.

use common::problem::{Launch, LaunchResult, Size, as_u32, transpose};
use cudarc::driver::PushKernelArg;

/// Columns and rows of the input per block.
const TILE: u32 = 32;

/// Returns the blocks for all tiles of the matrix.
#[must_use]
pub fn tiles(size: &Size, _: u32) -> [u32; 3] {
    let side = as_u32(size.n).div_ceil(TILE);
    [side, side, 1]
}

/// Launches a kernel with the parameters `(input, output, n)`.
pub fn transpose(launch: &Launch, b: &mut transpose::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.input).arg(&mut b.output).arg(&b.n);
    // SAFETY: the kernels have these parameters; both matrices have n * n floats, and no thread goes past row or column n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
