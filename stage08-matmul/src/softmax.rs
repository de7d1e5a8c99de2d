//! The rungs of problem H, the softmax of rows, with their launches.

use crate::launch::WARP_SIZE;
use common::kernel_source;
use common::problem::softmax::{Buffers, Padded, Softmax, columns};
use common::problem::{Launch, LaunchResult, Size, as_u32};
use common::stage::{Blocks, Grid, Rung, Shape};
use cudarc::driver::PushKernelArg;

/// Problem H: a pass for the largest element, one for the sum, one for the quotients.
pub static SOFTMAX_THREE_PASSES: Rung = Rung {
    grid: Grid::Computed(a_row_each),
    block: 256,
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)],
    ..Rung::new("softmaxThreePasses", kernel_source!("21_softmax_three_passes"), &Softmax { launch: plain })
};

/// Problem H: the largest element and the sum in one pass.
pub static SOFTMAX_ONLINE: Rung = SOFTMAX_THREE_PASSES.next("softmaxOnline", kernel_source!("22_softmax_online"));

/// Problem H: rows stay in registers.
pub static SOFTMAX_REGISTERS: Rung = Rung {
    work: &Softmax { launch: in_registers },
    grid: Grid::Computed(rows_in_registers),
    block: BLOCK,
    blocks: Blocks::OneOf(&[BLOCK]),
    sweep: &[],
    below: Some(&SOFTMAX_ONLINE),
    ..SOFTMAX_THREE_PASSES.with_kernel("softmaxRegisters", kernel_source!("23_softmax_registers"))
};

/// Problem H: asynchronous copies bring the next row during the work on this one.
pub static SOFTMAX_PREFETCH: Rung = Rung {
    // one block on each multiprocessor of an H200
    grid: Grid::Stride(132),
    shared_bytes_per_thread: 4 * EACH,
    sweep: &[Shape::grid(66, BLOCK), Shape::grid(132, BLOCK), Shape::grid(264, BLOCK)],
    ..SOFTMAX_REGISTERS.next("softmaxPrefetch", kernel_source!("24_softmax_prefetch"))
};

/// Threads of a block of the kernels with rows in registers.
const BLOCK: u32 = 1024;
/// Elements per thread of these kernels.
const EACH: u32 = 32;

fn a_row_each(size: &Size, _: u32) -> [u32; 3] {
    [as_u32(size.n), 1, 1]
}

/// Returns how many warps share a row of so many columns.
fn warps(columns: usize) -> u32 {
    as_u32(columns).div_ceil(WARP_SIZE * EACH).next_power_of_two()
}

fn rows_in_registers(size: &Size, block: u32) -> [u32; 3] {
    let rows = block / WARP_SIZE / warps(columns(&size.parameters));
    [as_u32(size.n).div_ceil(rows), 1, 1]
}

/// Launches a kernel with the parameters `(input, output, n, columns)`.
pub fn plain(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.input).arg(&mut data.output).arg(&data.n).arg(&data.columns);
    // SAFETY: the kernels have these parameters; both matrices have n * columns floats, there is a block for each row, and no
    // thread goes past its columns.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(input, output, n, columns, warps)`.
pub fn in_registers(launch: &Launch, data: &mut Padded) -> LaunchResult {
    let data = &mut data.buffers;
    let warps = warps(data.columns.unsigned_abs() as usize).cast_signed();
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.input).arg(&mut data.output).arg(&data.n).arg(&data.columns).arg(&warps);
    // SAFETY: the kernels have these parameters; both matrices have n * columns floats, columns is a multiple of four and at
    // most 32,768, so that at most 32 warps share a row, and no thread goes past its row or the last row.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
