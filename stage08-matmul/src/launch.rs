//! The launches: arguments in the order of the kernels' parameters, through cudarc.

use common::problem::matmul::{Buffers, Mapped, Padded, Stored};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use cudarc::driver::{DevicePtrMut, PushKernelArg};

/// Returns the blocks for all square tiles of the product, of `TILE` rows and columns each.
#[must_use]
pub fn tiles<const TILE: u32>(size: &Size, _: u32) -> [u32; 3] {
    let side = as_u32(size.n).div_ceil(TILE);
    [side, side, 1]
}

/// Returns the blocks for all tiles of `TALL` rows and `WIDE` columns, of a product that is padded to whole squares of `WIDE`.
#[must_use]
pub fn wide_tiles<const TALL: u32, const WIDE: u32>(size: &Size, block: u32) -> [u32; 3] {
    let [side, ..] = tiles::<WIDE>(size, block);
    [side, side * (WIDE / TALL), 1]
}

/// Lanes of a warp.
pub(crate) const WARP_SIZE: u32 = 32;

/// Returns the blocks if a warp takes 32 rows of a column.
#[must_use]
pub fn columns(size: &Size, block: u32) -> [u32; 3] {
    let side = as_u32(size.n);
    [side.div_ceil(block / WARP_SIZE), side.div_ceil(WARP_SIZE), 1]
}

/// Returns the blocks if a warp takes 32 columns of a row.
#[must_use]
pub fn rows(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = columns(size, block);
    [down, across, 1]
}

/// Launches a kernel with the parameters `(a, b, c, n)`.
pub fn plain(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    product(launch, data)
}

/// Launches a kernel of whole tiles, with the same parameters.
pub fn padded<P: Stored, const SIDE: usize>(launch: &Launch, data: &mut Padded<P, SIDE>) -> LaunchResult {
    product(launch, &mut data.buffers)
}

/// The multiprocessors of an H100 or H200. A block for each of them takes one tile after the other.
///
/// A constant, because a plan has its grid before there is a device, and tables and records show the plan's. Only chips of
/// compute capability 9.0 run the kernel. On one with fewer multiprocessors, such as an H100 for PCIe with 114, the blocks left
/// over begin when others have ended: the results are right, and the launch takes up to twice as long.
const MULTIPROCESSORS: u32 = 132;

/// Returns a block per multiprocessor, or one per tile of 128 rows and 256 columns if there are fewer.
#[must_use]
pub fn block_per_multiprocessor(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = wide_tiles::<128, 256>(size, block);
    [across.saturating_mul(down).min(MULTIPROCESSORS), 1, 1]
}

/// `BLOCKS` of `18_matmul_cluster.cu`.
const BLOCKS_OF_A_CLUSTER: u32 = 2;

/// Returns a cluster per two multiprocessors, or per square of 256 rows and columns if there are fewer.
#[must_use]
pub fn cluster_per_two_multiprocessors(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = tiles::<256>(size, block);
    [across.saturating_mul(down).saturating_mul(BLOCKS_OF_A_CLUSTER).min(MULTIPROCESSORS), 1, 1]
}

/// Launches a kernel with the parameters `(a, b, c, n)`, of which a and b are tensor maps.
pub fn mapped<const CHUNKS: u32>(launch: &Launch, data: &mut Mapped<CHUNKS>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    let buffers = &mut data.padded.buffers;
    arguments.arg(&data.a).arg(&data.b).arg(&mut buffers.c).arg(&buffers.n);
    // SAFETY: the kernel has these parameters; the maps describe matrices of n * n entries, which `data` keeps, and so has c.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the same parameters, and pairs of blocks in a cluster.
pub fn clusters(launch: &Launch, data: &mut Mapped<2>) -> LaunchResult {
    let Buffers { c, n, .. } = &mut data.padded.buffers;
    let (c, _write) = c.device_ptr_mut(launch.stream);
    // SAFETY: as above; `c` is the address of a matrix of n * n entries.
    unsafe { launch.in_clusters(BLOCKS_OF_A_CLUSTER, &[&data.a, &data.b, &c, n]) }
}

/// Launches a kernel with the same parameters and factors of any entries.
pub fn product<P: Stored>(launch: &Launch, data: &mut Buffers<P>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.a).arg(&data.b).arg(&mut data.c).arg(&data.n);
    // SAFETY: the kernels have these parameters; the matrices have n * n entries, and no thread goes past row or column n:
    // those without a test of their own are launched with whole tiles, by `padded`.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
