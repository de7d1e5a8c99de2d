//! Problem E: the launches of this stage's kernels, on the tutorial's layout.

use common::Error;
use common::problem::coulomb::{Atoms, Buffers, Coulomb, Layout};
use common::problem::{Launch, LaunchResult, Problem, Setup, Size};
use stage05_coulomb::launch::from_global;

/// Columns and rows of a block of 128 threads, 16 by 8, with 8 by 4 points each.
const BLOCK_POINTS: [u32; 2] = [128, 32];

/// Slices of the atoms: at least this many, because blocks of one slice do not all end at once.
const FEWEST_SLICES: u32 = 16;

/// Several blocks for each multiprocessor of today's largest chips.
const ENOUGH_BLOCKS: u32 = 4096;

/// A slice has at least this many atoms.
const FEWEST_ATOMS: u32 = 128;

/// Launches kernels that add to the points; making them zero is part of the work.
pub fn adding(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    launch.stream.memset_zeros(&mut data.potential)?;
    from_global(launch, data)
}

/// Blocks that cover the plane.
#[must_use]
pub fn tiles(size: &Size, _: u32) -> [u32; 3] {
    let [columns, rows] = BLOCK_POINTS;
    let [width, height] = (<Coulomb<Buffers> as Problem>::FACTS.extents)(size);
    [width.div_ceil(columns), height.div_ceil(rows), 1]
}

/// Blocks that cover the plane, in layers for slices of the atoms.
#[must_use]
pub fn tiles_of_slices(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = tiles(size, block);
    let most = u32::try_from(size.n).unwrap_or(u32::MAX).div_ceil(FEWEST_ATOMS);
    [across, down, ENOUGH_BLOCKS.div_ceil(across * down).max(FEWEST_SLICES).min(most)]
}

/// The tutorial's layout, for a kernel that computes some of its roots in software.
#[derive(Debug)]
pub struct SoftwareRoots(Buffers);

impl Layout for SoftwareRoots {
    /// A root is off by 1.1e-6 at most.
    const MORE_ROUNDINGS: f64 = 19.0;

    fn prepare(setup: &Setup, atoms: &Atoms, adds: bool) -> Result<Self, Error> {
        Buffers::prepare(setup, atoms, adds).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn potential(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.0.potential(setup)
    }
}

/// As [`adding`].
pub fn adding_software_roots(launch: &Launch, data: &mut SoftwareRoots) -> LaunchResult {
    adding(launch, &mut data.0)
}
