//! Stage 2: a block loads data that it reads more than once into shared memory.
//!
//! The rungs below these are in stage 1. The kernels take the same parameters, so stage 1's functions launch them. The
//! transpose starts here, with a launch function of this stage.

pub mod launch;

use common::columns::Column;
use common::kernel_source;
use common::problem::transpose::Transpose;
use common::stage::{Blocks, Entry, Grid, Rung, Shape, Stage};
use stage01_naive::{COMPUTE_FORCES, COMPUTE_FORCES_TILING, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "tiles in shared memory",
    rungs: &[
        &COMPUTE_FORCES,
        &COMPUTE_FORCES_SHARED,
        &COMPUTE_FORCES_TILING,
        &COMPUTE_FORCES_TILING_SHARED,
        &PERIODIC_GLOBAL,
        &PERIODIC_SHARED_STRIDED,
        &PERIODIC_SHARED_COALESCED,
        &REDUCE_GMEM,
        &REDUCE_SMEM,
        &NBODY_SIM_NOTILE,
        &NBODY_SIM,
        &TRANSPOSE_DIRECT,
        &TRANSPOSE_TILE,
        &TRANSPOSE_PADDED,
    ],
    counts: |problem| match problem {
        "F" => &[Column::SectorsPerStore, Column::ConflictsPerLoad, Column::Traffic],
        _ => &[Column::SectorsPerLoad, Column::SectorsPerStore, Column::Traffic],
    },
    read_on: "cargo run -p book, Stage 2; compare each kernel with the one that it improves on",
};

/// Problem A: one thread per body, sources in tiles of one block's size. The published kernel also unrolls the loop
/// over a tile in full; see stage 3.
pub static COMPUTE_FORCES_SHARED: Rung = Rung {
    entry: Entry::PerBlock("computeForces_Shared"),
    blocks: Blocks::PowersOfTwo,
    published: Some("7.04 ms at best, unrolled in full as in stage 3 (Tesla K20c, 2014)"),
    ..COMPUTE_FORCES.next("computeForces_Shared", kernel_source!("01_compute_forces_shared", rust))
};

/// Problem A: a grid-stride loop over targets, sources in tiles.
pub static COMPUTE_FORCES_TILING_SHARED: Rung = Rung {
    entry: Entry::PerBlock("computeForces_Tiling_Shared"),
    blocks: Blocks::PowersOfTwo,
    published: Some("7.20 ms at best, unrolled in full as in stage 3 (Tesla K20c, 2014)"),
    ..COMPUTE_FORCES_TILING.next("computeForces_Tiling_Shared", kernel_source!("02_compute_forces_tiling_shared", rust))
};

/// Problem B: positions staged 1024 at a time, each of 256 threads copying four consecutive records.
pub static PERIODIC_SHARED_STRIDED: Rung = Rung {
    blocks: Blocks::OneOf(&[256]),
    published: Some("3.43 s for 1000 steps (2009, GPU not named; CPU 235 s)"),
    ..PERIODIC_GLOBAL.next("periodicSharedStrided", kernel_source!("03_periodic_shared_strided", rust))
};

/// Problem B, corrected: neighboring threads copy neighboring records.
pub static PERIODIC_SHARED_COALESCED: Rung =
    PERIODIC_SHARED_STRIDED.next("periodicSharedCoalesced", kernel_source!("04_periodic_shared_coalesced", rust));

/// Problem C: the tree in shared memory.
pub static REDUCE_SMEM: Rung = Rung {
    entry: Entry::PerBlock("reduceSmem"),
    blocks: WHOLE_WARPS_HALVED,
    sweep: &SWEEP_OF_TREES,
    published: Some("154 µs and 166 µs in two runs (2025, GPU not named)"),
    ..REDUCE_GMEM.next("reduceSmem", kernel_source!("05_reduce_smem", rust))
};

/// Problem D: tiles of one block's size in dynamic shared memory.
pub static NBODY_SIM: Rung = Rung {
    shared_bytes_per_thread: 16,
    published: NBODY_SIM_NOTILE.published,
    ..NBODY_SIM_NOTILE.next("nbody_sim", kernel_source!("06_nbody_sim", rust))
};

/// Problem F: a load and a store per word; the stores are uncoalesced, their lanes a row apart.
pub static TRANSPOSE_DIRECT: Rung = Rung {
    grid: Grid::Computed(launch::tiles),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    ..Rung::new(
        "transposeDirect",
        kernel_source!("07_transpose_direct", rust),
        &Transpose { launch: launch::transpose },
    )
};

/// Problem F: through a tile in shared memory, each of whose columns is in one bank.
pub static TRANSPOSE_TILE: Rung = TRANSPOSE_DIRECT.next("transposeTile", kernel_source!("08_transpose_tile", rust));

/// Problem F: a tile whose rows are padded by a word, so that each column is spread over all banks.
pub static TRANSPOSE_PADDED: Rung = Rung {
    below: Some(&TRANSPOSE_TILE),
    ..TRANSPOSE_DIRECT.with_kernel("transposePadded", kernel_source!("09_transpose_padded", rust))
};

/// Block sizes of a tree that halves at least once before one warp is left.
pub const WHOLE_WARPS_HALVED: Blocks = Blocks::OneOf(&[64, 128, 256, 512, 1024]);

/// The block sizes of problem C's trees.
pub static SWEEP_OF_TREES: [Shape; 5] =
    [Shape::block(1024), Shape::block(512), Shape::block(256), Shape::block(128), Shape::block(64)];
