//! The rungs of problem K, a histogram of bytes, with their launch.

use common::kernel_source;
use common::problem::histogram::{Buffers, Histogram};
use common::problem::{Launch, LaunchResult};
use common::stage::{Blocks, Grid, Rung, Shape};
use cudarc::driver::PushKernelArg;

/// Problem K: each thread adds to the bins in global memory.
pub static HISTOGRAM_GLOBAL: Rung = Rung {
    // two blocks of 1024 threads per multiprocessor of an H200, as many as can be resident
    grid: Grid::Stride(264),
    block: 1024,
    blocks: Blocks::MultiplesOf(32),
    sweep: &[Shape::grid(132, 1024), Shape::grid(264, 1024), Shape::grid(528, 512), Shape::grid(1056, 256)],
    ..Rung::new("histogramGlobal", kernel_source!("11_histogram_global", rust), &Histogram { launch })
};

/// Problem K: each block has bins of its own, in shared memory.
pub static HISTOGRAM_SHARED: Rung =
    HISTOGRAM_GLOBAL.next("histogramShared", kernel_source!("12_histogram_shared", rust));

/// Problem K: each warp has bins of its own.
pub static HISTOGRAM_PER_WARP: Rung = Rung {
    // 256 words per warp
    shared_bytes_per_thread: 256 * 4 / 32,
    ..HISTOGRAM_SHARED.next("histogramPerWarp", kernel_source!("13_histogram_per_warp", rust))
};

/// Problem K: loads of 16 bytes.
pub static HISTOGRAM_VECTOR: Rung =
    HISTOGRAM_PER_WARP.next("histogramVector", kernel_source!("14_histogram_vector", rust));

/// Problem K: each lane has bins of its own, all in one bank, which the warps of a block share.
pub static HISTOGRAM_PER_BANK: Rung = Rung {
    shared_bytes_per_thread: 0,
    ..HISTOGRAM_VECTOR.next("histogramPerBank", kernel_source!("15_histogram_per_bank", rust))
};

/// Problem K: two loads of 16 bytes in flight per thread.
pub static HISTOGRAM_TWO_LOADS: Rung =
    HISTOGRAM_PER_BANK.next("histogramTwoLoads", kernel_source!("16_histogram_two_loads", rust));

/// Launches a kernel with the parameters `(data, bins, n)`.
pub fn launch(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&buffers.data).arg(&mut buffers.bins).arg(&buffers.n);
    // SAFETY: the kernels have these parameters; there are n bytes, and a bin for each value of a byte. No thread goes past n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
