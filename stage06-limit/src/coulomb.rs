//! Problem E: the launches of this stage's kernels, mostly on the tutorial's layout.

use common::problem::coulomb::{Buffers, Points};
use common::problem::{Launch, LaunchResult, Rougher, Size, as_u32};
use stage05_coulomb::launch::from_global;

/// Columns and rows of points per block of 128 threads, 16 by 8, with 8 by 4 points each.
const BLOCK_POINTS: [u32; 2] = [128, 32];

/// The fewest slices of the atoms: with fewer, the tail effect of the last blocks is larger.
const MIN_SLICES: u32 = 16;

/// Several blocks per multiprocessor of today's largest chips.
const ENOUGH_BLOCKS: u32 = 4096;

/// The fewest atoms per slice.
const MIN_ATOMS: u32 = 128;

/// Launches a kernel that adds to the points; zeroing them is part of the timed work.
pub fn adding(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    launch.stream.memset_zeros(&mut data.potential)?;
    from_global(launch, data)
}

/// Returns the blocks that cover the plane.
#[must_use]
pub fn tiles(size: &Size, _: u32) -> [u32; 3] {
    let [columns, rows] = BLOCK_POINTS;
    let Points { width, height, .. } = Points::from_parameters(&size.parameters);
    [width.div_ceil(columns), height.div_ceil(rows), 1]
}

/// Returns the blocks that cover the plane, with one layer per slice of the atoms.
#[must_use]
pub fn tiles_of_slices(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = tiles(size, block);
    let most = as_u32(size.n).div_ceil(MIN_ATOMS);
    [across, down, ENOUGH_BLOCKS.div_ceil(across * down).max(MIN_SLICES).min(most)]
}

/// The tutorial's layout, for a kernel that computes some of its roots in software, with an error of at most 1.1e-6.
pub type SoftwareRoots = Rougher<Buffers, 19>;

/// Launches as [`adding`] does.
pub fn adding_software_roots(launch: &Launch, data: &mut SoftwareRoots) -> LaunchResult {
    adding(launch, &mut data.0)
}
