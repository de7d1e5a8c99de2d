//! The rungs of problem O, a convolution, with their launches.

use common::kernel_source;
use common::problem::convolution::{Buffers, Convolution, RADII, RADIUS, radius};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use common::stage::{Blocks, Entry, Grid, Rung, Shape};
use cudarc::driver::PushKernelArg;

/// Columns and rows of a block with a tile in shared memory.
const TILE: u32 = 32;

/// Columns of a warp with its pixels in registers. Its first and last lanes store nothing.
const STRIP: u32 = 120;

/// Rows of such a warp, for filters of the radii 1 and 3.
const ROWS: [u32; 2] = [4, 8];

/// Problem O: a thread for each pixel.
pub static CONVOLUTION_DIRECT: Rung = Rung {
    entry: per_radius("convolutionDirect"),
    grid: Grid::Tiles { across: 32, points: 1 },
    block: 256,
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)],
    ..Rung::new("convolutionDirect", kernel_source!("51_convolution_direct", rust), &Convolution { launch })
};

/// Problem O: a tile with a halo in shared memory.
pub static CONVOLUTION_SHARED: Rung = Rung {
    grid: Grid::Computed(tiles),
    blocks: Blocks::OneOf(&[256]),
    sweep: &[],
    ..CONVOLUTION_DIRECT.next("convolutionShared", kernel_source!("52_convolution_shared", rust))
};

/// Problem O: rows of four columns per thread, in registers.
pub static CONVOLUTION_REGISTERS: Rung = Rung {
    grid: Grid::Computed(parts),
    ..CONVOLUTION_SHARED.next("convolutionRegisters", kernel_source!("53_convolution_registers", rust))
};

/// Returns the entry points of a kernel whose code depends on the radius of the filter.
const fn per_radius(prefix: &'static str) -> Entry {
    Entry::PerOption { prefix, option: RADIUS, values: RADII }
}

/// Returns the blocks that cover the image with tiles.
fn tiles(size: &Size, _: u32) -> [u32; 3] {
    let side = as_u32(size.n).div_ceil(TILE);
    [side, side, 1]
}

/// Returns the blocks that cover the image, whose warps have parts below each other.
fn parts(size: &Size, block: u32) -> [u32; 3] {
    let n = as_u32(size.n);
    let rows = if radius(&size.parameters) == 1 { ROWS[0] } else { ROWS[1] };
    [n.div_ceil(STRIP), n.div_ceil(block / 32 * rows), 1]
}

/// Launches a kernel with the parameters `(input, output, n, pitch, filter)`.
pub fn launch(launch: &Launch, Buffers { input, output, taps }: &mut Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&input.words).arg(&mut output.words).arg(&input.n).arg(&input.pitch).arg(&*taps);
    // SAFETY: the kernels have these parameters; both images have n rows of `pitch` floats, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
