//! The launch of problem F's kernels: arguments in the order of their parameters, through cudarc.

use common::problem::{Launch, LaunchResult, Size, transpose};
use cudarc::driver::PushKernelArg;

/// Columns and rows of the input that a block takes.
const TILE: u32 = 32;

/// Blocks for all tiles of the matrix.
#[must_use]
pub fn tiles(size: &Size, _: u32) -> [u32; 3] {
    let side = u32::try_from(size.n).unwrap_or(u32::MAX).div_ceil(TILE);
    [side, side, 1]
}

/// `(input, output, n)`.
pub fn transpose(launch: &Launch, b: &mut transpose::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.input).arg(&mut b.output).arg(&b.n);
    // SAFETY: the kernels have these parameters; both matrices have n * n floats, and no thread goes past row or column n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
