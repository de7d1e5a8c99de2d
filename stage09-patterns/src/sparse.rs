//! The rungs of problem N, a sparse matrix times a vector, with their launches.

use common::kernel_source;
use common::problem::sparse::{Buffers, Sparse, count};
use common::problem::{Launch, LaunchResult, as_u32};
use common::stage::{Blocks, Entry, Grid, Rung, Shape};
use cudarc::driver::{LaunchConfig, PushKernelArg};

/// Steps per thread in the kernel that merges: elements, and ends of rows.
pub const STEPS_EACH: usize = 11;

/// Problem N: one thread per row.
pub static SPARSE_ROW_PER_THREAD: Rung = Rung {
    sweep: &[Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512)],
    ..Rung::new(
        "sparseRowPerThread",
        kernel_source!("41_sparse_row_per_thread", rust),
        &Sparse { multiply: by_rows, add: None },
    )
};

/// Problem N: one warp per row.
pub static SPARSE_ROW_PER_WARP: Rung = Rung {
    grid: Grid::Computed(|size, block| grid_of_rows(size.n, 32, block)),
    blocks: Blocks::MultiplesOf(32),
    ..SPARSE_ROW_PER_THREAD.next("sparseRowPerWarp", kernel_source!("42_sparse_row_per_warp", rust))
};

/// Problem N: a group of lanes per row, for the average length.
pub static SPARSE_ROW_PER_GROUP: Rung = Rung {
    grid: Grid::Computed(|size, block| grid_of_rows(size.n, lanes(count(size), size.n), block)),
    work: &Sparse { multiply: by_groups, add: None },
    ..SPARSE_ROW_PER_WARP.next("sparseRowPerGroup", kernel_source!("43_sparse_row_per_group", rust))
};

/// Problem N: four elements per lane in flight.
pub static SPARSE_FOUR_IN_FLIGHT: Rung =
    SPARSE_ROW_PER_GROUP.next("sparseFourInFlight", kernel_source!("44_sparse_four_in_flight", rust));

/// Problem N: streaming loads of the elements.
pub static SPARSE_STREAMING: Rung =
    SPARSE_FOUR_IN_FLIGHT.next("sparseStreaming", kernel_source!("45_sparse_streaming", rust));

/// Problem N: equal parts of the elements and the ends of rows.
pub static SPARSE_MERGE: Rung = Rung {
    entry: Entry::PerBlock("sparseMerge"),
    companion: Some((kernel_source!("47_sparse_add_open", rust), "sparseAddOpen")),
    work: &Sparse { multiply: by_steps, add: Some(add_open) },
    grid: Grid::Computed(|size, block| [as_u32((size.n + count(size)).div_ceil(STEPS_EACH * block as usize)), 1, 1]),
    block: 256,
    blocks: Blocks::OneOf(&[128, 256, 512]),
    sweep: &[Shape::block(128), Shape::block(256), Shape::block(512)],
    ..SPARSE_STREAMING.next("sparseMerge", kernel_source!("46_sparse_merge", rust))
};

/// Rows per thread of the first blocks in the kernel that scans segments.
pub const LOOKS: usize = 8;

/// Problem N: a segmented scan by each warp, and long rows by the first blocks.
pub static SPARSE_SEGMENTS: Rung = Rung {
    entry: Entry::PerBlock("sparseSegments"),
    companion: None,
    work: &Sparse { multiply: by_rows, add: None },
    grid: Grid::Computed(|size, block| {
        [as_u32(size.n.div_ceil(LOOKS * block as usize) + size.n.div_ceil(block as usize)), 1, 1]
    }),
    ..SPARSE_MERGE.next("sparseSegments", kernel_source!("48_sparse_segments", rust))
};

/// Returns the blocks for n rows of this many lanes each.
fn grid_of_rows(n: usize, lanes: u32, block: u32) -> [u32; 3] {
    [as_u32(n.div_ceil((block / lanes) as usize)), 1, 1]
}

/// Returns the lanes of a group: the largest power of two from 2 to 32 of which an average row has twice as many elements.
#[must_use]
pub fn lanes(elements: usize, rows: usize) -> u32 {
    let half = as_u32(elements / rows / 2);
    half.checked_ilog2().map_or(2, |log| 1 << log.clamp(1, 5))
}

/// Launches a kernel with the parameters `(offsets, columns, values, x, y, n)`.
pub fn by_rows(launch: &Launch, b: &mut Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.offsets).arg(&b.columns).arg(&b.values).arg(&b.x).arg(&mut b.y).arg(&b.n);
    // SAFETY: the kernels have these parameters. There are n rows, which no thread goes past, and an offset more; the elements are
    // between two offsets, and their columns below n. The grid covers the rows, and those of the first blocks.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the same parameters and `lanes`.
pub fn by_groups(launch: &Launch, b: &mut Buffers) -> LaunchResult {
    let lanes = lanes(b.values.len(), b.x.len());
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.offsets).arg(&b.columns).arg(&b.values).arg(&b.x).arg(&mut b.y).arg(&b.n).arg(&lanes);
    // SAFETY: as above; the grid has so many lanes for each row.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches the kernel with the parameters `(offsets, columns, values, x, y, open_rows, open_sums, n, elements)`.
pub fn by_steps(launch: &Launch, b: &mut Buffers) -> LaunchResult {
    let elements = as_u32(b.values.len());
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.offsets).arg(&b.columns).arg(&b.values).arg(&b.x).arg(&mut b.y);
    arguments.arg(&mut b.open_rows).arg(&mut b.open_sums).arg(&b.n).arg(&elements);
    // SAFETY: the kernel has these parameters. The grid covers n rows and the elements, and there is an open row with its sum for
    // each block.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches the companion, with the parameters `(open_rows, open_sums, y, n, blocks)`.
pub fn add_open(launch: &Launch, b: &mut Buffers) -> LaunchResult {
    let blocks = as_u32(b.open_rows.len());
    let config = LaunchConfig { grid_dim: (blocks.div_ceil(launch.config.block_dim.0), 1, 1), ..launch.config };
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.open_rows).arg(&b.open_sums).arg(&mut b.y).arg(&b.n).arg(&blocks);
    // SAFETY: the kernel has these parameters; there are so many open rows and sums, and no product past n is used.
    unsafe { arguments.launch(config) }.map(drop)
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn a_group_has_lanes_for_half_of_an_average_row() {
        assert_eq!(
            [0, 1, 7, 8, 11, 16, 27, 63, 64, 1000].map(|mean| lanes(10 * mean + 9, 10)),
            [2, 2, 2, 4, 4, 8, 8, 16, 32, 32]
        );
    }
}
