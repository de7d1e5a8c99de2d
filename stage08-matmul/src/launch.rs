//! The launches: arguments in the order of the kernels' parameters, through cudarc.

use common::problem::matmul::{Buffers, Padded};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use cudarc::driver::PushKernelArg;

/// Returns the blocks for all square tiles of the product, of `TILE` rows and columns each.
#[must_use]
pub fn tiles<const TILE: u32>(size: &Size, _: u32) -> [u32; 3] {
    let side = as_u32(size.n).div_ceil(TILE);
    [side, side, 1]
}

/// Lanes of a warp.
const WARP: u32 = 32;

/// Returns the blocks if a warp takes 32 rows of a column.
#[must_use]
pub fn columns(size: &Size, block: u32) -> [u32; 3] {
    let side = as_u32(size.n);
    [side.div_ceil(block / WARP), side.div_ceil(WARP), 1]
}

/// Returns the blocks if a warp takes 32 columns of a row.
#[must_use]
pub fn rows(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = columns(size, block);
    [down, across, 1]
}

/// Launches a kernel with the parameters `(a, b, c, n)`.
pub fn plain(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.a).arg(&data.b).arg(&mut data.c).arg(&data.n);
    // SAFETY: the kernels have these parameters; the matrices have n * n floats, and no thread goes past row or column n:
    // those without a test of their own are launched with whole tiles, by `padded`.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel of whole tiles, with the same parameters.
pub fn padded(launch: &Launch, data: &mut Padded) -> LaunchResult {
    plain(launch, &mut data.buffers)
}
