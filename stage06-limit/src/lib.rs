//! Stage 6: the same problems, taken to the limit of the chip.
//!
//! Rungs of earlier stages are below the first of each ladder. The kernels have data layouts of their own, which lie
//! beside their launches: one file per problem.

pub mod forces;

use common::kernel_source;
use common::problem::forces::Forces;
use common::stage::{Blocks, Entry, Grid, Rung, Shape, Stage};
use stage03_unroll::COMPUTE_FORCES_UNROLL_64;

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "to the limit of the chip",
    rungs: &[
        &COMPUTE_FORCES_UNROLL_64,
        &FORCES_FLOAT4,
        &FORCES_REGISTER_TILE,
        &FORCES_SPLIT_SOURCES,
        &FORCES_FAST_ROOT,
        &FORCES_THIRD_LAW,
        &FORCES_THIRD_LAW_SHARED,
    ],
    lesson: [
        "A chip is full before it is fast: at n = 16384 the register tile alone loses, and gains once its",
        "sources are split over blocks. Then each instruction less counts, and half of the pairs need none.",
    ],
    read_on: "cargo run -p book, Stage 6; diff each file of stage06-limit/kernels with the one before",
};

/// Problem A: sources of one float4 each.
pub static FORCES_FLOAT4: Rung = Rung {
    kernel: "forcesFloat4",
    source: kernel_source!("01_forces_float4"),
    entry: Entry::PerBlock("forcesFloat4"),
    companion: None,
    work: &Forces { launch: forces::writing },
    grid: Grid::Covering(1),
    block: 128,
    blocks: Blocks::OneOf(&[64, 128, 256, 512]),
    shared_bytes_per_thread: 0,
    sweep: &FORCES_SWEEP,
    published: None,
    below: Some(&COMPUTE_FORCES_UNROLL_64),
};

const FORCES_SWEEP: [Shape; 4] = [Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512)];

/// Problem A: four targets per thread, in registers.
pub static FORCES_REGISTER_TILE: Rung = Rung {
    kernel: "forcesRegisterTile",
    source: kernel_source!("02_forces_register_tile"),
    entry: Entry::PerBlock("forcesRegisterTile"),
    grid: Grid::Covering(forces::TARGETS_EACH),
    below: Some(&FORCES_FLOAT4),
    ..FORCES_FLOAT4
};

/// Problem A: the sources split over blocks, which add to the forces.
pub static FORCES_SPLIT_SOURCES: Rung = Rung {
    kernel: "forcesSplitSources",
    source: kernel_source!("03_forces_split_sources"),
    entry: Entry::PerBlock("forcesSplitSources"),
    work: &Forces { launch: forces::adding },
    grid: Grid::Computed(forces::slices),
    below: Some(&FORCES_REGISTER_TILE),
    ..FORCES_REGISTER_TILE
};

/// Problem A: the special-function unit's reciprocal square root as it is.
pub static FORCES_FAST_ROOT: Rung = Rung {
    kernel: "forcesFastRoot",
    source: kernel_source!("04_forces_fast_root"),
    entry: Entry::PerBlock("forcesFastRoot"),
    below: Some(&FORCES_SPLIT_SOURCES),
    ..FORCES_SPLIT_SOURCES
};

/// Problem A: each pair of bodies once, the second visiting the lanes that hold the first.
pub static FORCES_THIRD_LAW: Rung = Rung {
    kernel: "forcesThirdLaw",
    source: kernel_source!("05_forces_third_law"),
    entry: Entry::Single("forcesThirdLaw"),
    grid: Grid::Computed(forces::pairs_of_tiles),
    block: 256,
    blocks: Blocks::OneOf(&[32, 64, 128, 256]),
    sweep: &WARPS_SWEEP,
    below: Some(&FORCES_FAST_ROOT),
    ..FORCES_FAST_ROOT
};

const WARPS_SWEEP: [Shape; 4] = [Shape::block(32), Shape::block(64), Shape::block(128), Shape::block(256)];

/// Problem A: the visitors' positions from shared memory; their sums alone go around.
pub static FORCES_THIRD_LAW_SHARED: Rung = Rung {
    kernel: "forcesThirdLawShared",
    source: kernel_source!("06_forces_third_law_shared"),
    entry: Entry::Single("forcesThirdLawShared"),
    below: Some(&FORCES_THIRD_LAW),
    ..FORCES_THIRD_LAW
};
