//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

mod edge;
mod equivalent;
mod in_rust;

use common::problem::Size;
use common::stage::{Grid, Rung, Stage};
use edge::PERIODIC_ARRAYS_AT_THE_EDGE;
use equivalent::{EQUIVALENT, EQUIVALENT_PERSISTENT};
use in_rust::EQUIVALENT_IN_RUST;
use stage_tests::mutants::{self, Change, Sizes};
use stage06_limit::{
    COULOMB_SOFTWARE_ROOT, COULOMB_SPLIT_ATOMS, FORCES_FAST_ROOT, FORCES_SPLIT_SOURCES, FORCES_TENSOR_CORES,
    PERIODIC_PERSISTENT, REDUCE_ASYNC_COPY, REDUCE_GRID_STRIDE, REDUCE_ONE_PASS, REDUCE_STREAMING, STAGE, coulomb,
    forces,
};

/// Bodies fill one tile or several, and chunks of 1024. Values end at each load of a thread among three blocks of 64, in
/// each of four stages of three blocks, and use each stage twice. Points end in each column and row of a
/// thread's tile; atoms fill more than a chunk of 256 in each of two slices.
const SIZES: Sizes = Sizes {
    bodies: &[34, 3, 7, 11, 15, 19, 23, 27, 1, 300, 602, 1025],
    values: &[35, 1, 3, 100, 803, 1025, 1603, 2347, 5422, 16_389, 28_677, 40_965, 102_403],
    planes: &[
        (1, 5, 3),
        (3, 22, 11),
        (4, 39, 19),
        (5, 56, 27),
        (2, 73, 35),
        (3, 90, 43),
        (7, 107, 51),
        (6, 124, 59),
        (3, 140, 1),
        (600, 5, 70),
    ],
    // no attention in this stage
    heads: &[],
    blocks: mutants::SIZES.blocks,
    steps: 2,
    changes: &Change::ALL,
};

/// For the kernel with a barrier of the grid, whose steps are taken at once if they are 5. Its three blocks have 96 targets
/// at a time.
const SIZES_OF_STEPS: Sizes = Sizes { bodies: &[34, 130], steps: 5, ..SIZES };

/// At sizes that are quick, all sources of the kernel with tensor cores are near: which values it chooses shows at large ones
/// alone, and is not changed here.
const SIZES_OF_PRODUCTS: Sizes =
    Sizes { bodies: &[34, 300], changes: &[Change::Barrier, Change::Mask, Change::Addition], ..SIZES };

/// Three slices of the sources, each of several tiles, the last of fewer; and blocks without targets.
fn three_slices(size: &Size, block: u32) -> [u32; 3] {
    let [across, ..] = forces::slices(size, block);
    [across + 1, 3, 1]
}

/// Two slices of the atoms, of more than a chunk.
fn two_slices(size: &Size, block: u32) -> [u32; 3] {
    let [across, down, _] = coulomb::tiles(size, block);
    [across, down, 2]
}

/// One slice of the sources, of several chunks.
fn one_slice(size: &Size, block: u32) -> [u32; 3] {
    let [across, ..] = forces::slices_of_sorted(size, block);
    [across, 1, 1]
}

fn three_blocks(_: &Size, _: u32) -> [u32; 3] {
    [3, 1, 1]
}

static SPLIT_SOURCES: Rung = Rung { grid: Grid::Computed(three_slices), ..FORCES_SPLIT_SOURCES };
static FAST_ROOT: Rung = Rung { grid: Grid::Computed(three_slices), ..FORCES_FAST_ROOT };
static SPLIT_ATOMS: Rung = Rung { grid: Grid::Computed(two_slices), ..COULOMB_SPLIT_ATOMS };
static SOFTWARE_ROOT: Rung = Rung { grid: Grid::Computed(two_slices), ..COULOMB_SOFTWARE_ROOT };
// The loops of small blocks end at small sizes.
static GRID_STRIDE: Rung = Rung { block: 64, ..REDUCE_GRID_STRIDE };
static ONE_PASS: Rung = Rung { block: 64, ..REDUCE_ONE_PASS };
static STREAMING: Rung = Rung { block: 64, ..REDUCE_STREAMING };
static ASYNC_COPY: Rung = Rung { block: 64, ..REDUCE_ASYNC_COPY };

static PRODUCTS: Rung = Rung { grid: Grid::Computed(one_slice), ..FORCES_TENSOR_CORES };
static PERSISTENT: Rung = Rung { grid: Grid::Computed(three_blocks), ..PERIODIC_PERSISTENT };

/// The rungs whose mutants are noticed at [`SIZES`], with grids and blocks for these.
fn rungs() -> &'static [&'static Rung] {
    let others = [PERSISTENT.kernel, PRODUCTS.kernel];
    let rungs = STAGE.rungs.iter().filter(|rung| !others.contains(&rung.kernel)).map(|&rung| match rung.kernel {
        "forcesSplitSources" => &SPLIT_SOURCES,
        "forcesFastRoot" => &FAST_ROOT,
        "periodicArrays" => &PERIODIC_ARRAYS_AT_THE_EDGE,
        "coulombSplitAtoms" => &SPLIT_ATOMS,
        "coulombSoftwareRoot" => &SOFTWARE_ROOT,
        "reduceGridStride" => &GRID_STRIDE,
        "reduceOnePass" => &ONE_PASS,
        "reduceStreaming" => &STREAMING,
        "reduceAsyncCopy" => &ASYNC_COPY,
        _ => rung,
    });
    rungs.collect::<Vec<_>>().leak()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&Stage { rungs: rungs(), ..STAGE }, &SIZES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&Stage { rungs: rungs(), ..STAGE }, &SIZES, EQUIVALENT_IN_RUST);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_steps_at_once_is_noticed_or_does_the_same() {
    static RUNGS: [&Rung; 1] = [&PERSISTENT];
    mutants::all_are_noticed(&Stage { rungs: &RUNGS, ..STAGE }, &SIZES_OF_STEPS, EQUIVALENT_PERSISTENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_products_is_noticed_or_does_the_same() {
    static RUNGS: [&Rung; 1] = [&PRODUCTS];
    mutants::all_are_noticed(&Stage { rungs: &RUNGS, ..STAGE }, &SIZES_OF_PRODUCTS, &[]);
}

#[test]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &SIZES, Change::Barrier);
}
