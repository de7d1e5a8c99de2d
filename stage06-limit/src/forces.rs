//! Problem A in the layouts of this stage, and the launches of its kernels.

use common::Error;
use common::problem::forces::Bodies;
use common::problem::{Launch, LaunchResult, Layout, Rougher, Setup, Size, as_i32, as_u32};
use cudarc::driver::{CudaSlice, PushKernelArg};

/// Bodies are padded to a multiple of this, so that no kernel needs a guard; those past n have no mass.
pub const PADDED_TO: usize = 512;

/// Targets per thread in the kernels with a register tile.
pub const TARGETS_EACH: u32 = 4;

/// Bodies per tile in the kernels that use the third law.
pub const TILE: u32 = 256;

/// Bodies of one float4 each. With `RECORDS`, the force on a body is one float4 too; without, there is one row per
/// component.
#[derive(Debug)]
pub struct Float4Bodies<const RECORDS: bool> {
    bodies: CudaSlice<[f32; 4]>,
    forces: CudaSlice<f32>,
    /// The number of bodies in the kernels' parameters.
    padded: i32,
    n: usize,
}

impl<const RECORDS: bool> Float4Bodies<RECORDS> {
    /// Uploads these records, the first `n` of which are bodies.
    fn new(setup: &Setup, records: &[[f32; 4]], n: usize) -> Result<Self, Error> {
        Ok(Self {
            bodies: setup.upload(records)?,
            forces: setup.room(if RECORDS { 4 } else { 3 } * records.len())?,
            padded: as_i32(records.len()),
            n,
        })
    }
}

impl<const RECORDS: bool> Layout for Float4Bodies<RECORDS> {
    type Inputs = Bodies;
    type Results = [Vec<f32>; 3];

    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        let [x, y, z] = &bodies.coordinates;
        let mass = &bodies.mass;
        let mut records: Vec<[f32; 4]> = (0..mass.len()).map(|i| [x[i], y[i], z[i], mass[i]]).collect();
        records.resize(mass.len().next_multiple_of(PADDED_TO), [0.0; 4]);
        Self::new(setup, &records, mass.len())
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.forces)
    }

    fn results(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        let forces = setup.download(&self.forces)?;
        if RECORDS {
            return Ok([0, 1, 2].map(|axis| forces.chunks_exact(4).take(self.n).map(|force| force[axis]).collect()));
        }
        let rows: Vec<&[f32]> = forces.chunks_exact(self.padded as usize).collect();
        Ok([0, 1, 2].map(|axis| rows[axis][..self.n].to_vec()))
    }
}

/// Launches a kernel that writes every force, with the parameters `(bodies, forces, n)`.
pub fn writing<const RECORDS: bool>(launch: &Launch, data: &mut Float4Bodies<RECORDS>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.bodies).arg(&mut data.forces).arg(&data.padded);
    // SAFETY: the kernels have these parameters; there are `padded` bodies, and three rows of as many forces or as many
    // float4, and no thread goes past either.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel that adds to the forces, with the parameters `(bodies, forces, n)`; zeroing them is part of the timed
/// work.
pub fn adding<const RECORDS: bool>(launch: &Launch, data: &mut Float4Bodies<RECORDS>) -> LaunchResult {
    launch.stream.memset_zeros(&mut data.forces)?;
    writing(launch, data)
}

/// [`Float4Bodies`] with records, for a kernel that computes some of its roots by logarithms.
///
/// In units of 2⁻²⁴: the error of a logarithm is at most 4, relative to itself or to 1. Masses are in (2⁻²⁴, 1] and |r⃗|² in [1e-9, 3]: the
/// exponent is within 2 · 4 · 24 + 48 for the masses and their sum, 1.5 · 4 · 30 for the distance and 48 for the last
/// rounding, and the power within 4: ln 2 · 468 + 4 at most.
pub type MixedRoots = Rougher<Float4Bodies<true>, 329>;

/// Launches as [`adding`] does.
pub fn adding_mixed_roots(launch: &Launch, data: &mut MixedRoots) -> LaunchResult {
    adding(launch, &mut data.0)
}

/// Bodies per block of the kernel with tensor cores, and sources per iteration.
const SORTED_TILE: usize = 256;

/// [`Float4Bodies`] with records, sorted along a space-filling curve (Morton 1966) and padded with massless bodies at the
/// position of the last. Sorting is not timed: bodies that move stay sorted for many steps.
#[derive(Debug)]
pub struct SortedBodies {
    bodies: Float4Bodies<true>,
    /// The index of each body in the sorted array.
    places: Vec<usize>,
}

impl Layout for SortedBodies {
    type Inputs = Bodies;
    type Results = [Vec<f32>; 3];

    /// In units of 2⁻²⁴, where a far source is at least 0.4 radii R of the block away, so |x⃗ᵢ| + |x⃗ⱼ| ≤ r + 2 R ≤ 6 r:
    /// |r⃗|² is within 55 · 6² (parts of factors 16, sums that are rounded toward zero 36, coordinates 3), the weight within
    /// 1.5 times that, and its sums within 152 · 6 (parts 16, 64 additions that are rounded toward zero 128, chunks 8).
    const MORE_ROUNDINGS: f64 = 3900.0;

    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        let [x, y, z] = &bodies.coordinates;
        let mut order: Vec<usize> = (0..bodies.mass.len()).collect();
        order.sort_by_cached_key(|&i| place_on_curve([x[i], y[i], z[i]]));
        let mut places = vec![0; order.len()];
        for (place, &body) in order.iter().enumerate() {
            places[body] = place;
        }
        let mut records: Vec<[f32; 4]> = order.iter().map(|&i| [x[i], y[i], z[i], bodies.mass[i]]).collect();
        let [x, y, z, _] = records.last().copied().unwrap_or_default();
        records.resize(order.len().next_multiple_of(SORTED_TILE), [x, y, z, 0.0]);
        Ok(Self { bodies: Float4Bodies::new(setup, &records, order.len())?, places })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.bodies.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        let sorted = self.bodies.results(setup)?;
        Ok(sorted.map(|component| self.places.iter().map(|&place| component[place]).collect()))
    }
}

/// Returns the interleaved bits of three coordinates in [0, 1].
fn place_on_curve(place: [f32; 3]) -> u64 {
    const BITS: u32 = 16;
    let cells = place.map(|x| (x * ((1 << BITS) - 1) as f32) as u64);
    let digit = |bit: u32| cells.iter().fold(0, |digit, cell| digit << 1 | (cell >> bit & 1));
    (0..BITS).rev().fold(0, |key, bit| key << 3 | digit(bit))
}

/// Launches as [`adding`] does.
pub fn adding_sorted(launch: &Launch, data: &mut SortedBodies) -> LaunchResult {
    adding(launch, &mut data.bodies)
}

/// Returns the blocks for the tiles of sorted bodies, and slices of the sources.
#[must_use]
pub fn slices_of_sorted(size: &Size, _: u32) -> [u32; 3] {
    const ENOUGH_BLOCKS: u32 = 8192;
    let tiles = as_u32(size.n.div_ceil(SORTED_TILE));
    [tiles, ENOUGH_BLOCKS.div_ceil(tiles).min(tiles), 1]
}

/// Returns the blocks for a register tile, and slices of the sources: enough rows of blocks for a large chip.
#[must_use]
pub fn slices(size: &Size, block: u32) -> [u32; 3] {
    let padded = padded(size);
    let across = padded.div_ceil(block * TARGETS_EACH);
    let slices = ENOUGH_BLOCKS.div_ceil(across).min(padded / block);
    [across, slices, 1]
}

/// Several blocks per multiprocessor of today's largest chips, for a small tail effect.
const ENOUGH_BLOCKS: u32 = 1024;

/// Returns the blocks with one warp per unordered pair of tiles, including pairs of a tile with itself.
#[must_use]
pub fn pairs_of_tiles(size: &Size, block: u32) -> [u32; 3] {
    warps_of_pairs(padded(size) / TILE, block)
}

/// Returns the blocks with one warp per unordered pair of this many tiles.
pub(crate) fn warps_of_pairs(tiles: u32, block: u32) -> [u32; 3] {
    [(tiles * (tiles + 1) / 2).div_ceil(block / 32), 1, 1]
}

fn padded(size: &Size) -> u32 {
    as_u32(size.n.next_multiple_of(PADDED_TO))
}
