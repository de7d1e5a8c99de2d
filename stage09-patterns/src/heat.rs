//! The rungs of problem M, the heat equation, with their launches.

use common::kernel_source;
use common::problem::heat::{Heat, Pass, RATE};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use common::stage::{Blocks, Grid, Rung, Shape};
use cudarc::driver::PushKernelArg;

/// Columns and rows of a block with a tile in shared memory.
const TILE: [u32; 2] = [32, 32];

/// Columns and rows of a warp that takes one step.
const PART: [u32; 2] = [128, 2];

/// Columns and rows of a warp that takes two. Its first and last lanes store nothing.
const INNER_PART: [u32; 2] = [120, 4];

/// Problem M: a thread for each cell.
pub static HEAT_DIRECT: Rung = Rung {
    grid: Grid::Tiles { across: 32, points: 1 },
    block: 256,
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)],
    ..Rung::new("heatDirect", kernel_source!("31_heat_direct", rust), &Heat { launch, steps: 1 })
};

/// Problem M: a tile with a halo in shared memory.
pub static HEAT_SHARED: Rung = Rung {
    grid: Grid::Computed(|size, _| parts(size, 32, TILE)),
    blocks: Blocks::OneOf(&[256]),
    sweep: &[],
    ..HEAT_DIRECT.next("heatShared", kernel_source!("32_heat_shared", rust))
};

/// Problem M: two rows of four columns per thread, in registers.
pub static HEAT_ROWS: Rung = Rung {
    grid: Grid::Computed(|size, block| parts(size, block, PART)),
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512)],
    ..HEAT_SHARED.next("heatRows", kernel_source!("33_heat_rows", rust))
};

/// Problem M: both steps in one launch.
pub static HEAT_TWO_STEPS: Rung = Rung {
    grid: Grid::Computed(|size, block| parts(size, block, INNER_PART)),
    work: &Heat { launch, steps: 2 },
    ..HEAT_ROWS.next("heatTwoSteps", kernel_source!("34_heat_two_steps", rust))
};

/// Returns the blocks that cover the grid, whose warps have parts below each other.
fn parts(size: &Size, block: u32, [columns, rows]: [u32; 2]) -> [u32; 3] {
    let n = as_u32(size.n);
    [n.div_ceil(columns), n.div_ceil(block / 32 * rows), 1]
}

/// Launches a kernel with the parameters `(input, output, n, pitch, rate)`.
pub fn launch(launch: &Launch, Pass { input, output }: Pass) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&input.words).arg(&mut output.words).arg(&input.n).arg(&input.pitch).arg(&RATE);
    // SAFETY: the kernels have these parameters; both grids have n rows of `pitch` floats, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
