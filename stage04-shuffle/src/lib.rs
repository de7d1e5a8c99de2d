//! Stage 4: lanes of a warp hand each other what is in their registers.
//!
//! Rungs of stages 2 and 3 are below those that improve on them. The kernels take the same parameters, so that stage
//! 1's functions launch them.

use common::kernel_source;
use common::stage::{Blocks, Entry, Grid, Rung, Stage};
use stage01_naive::COMPUTE_FORCES_TILING;
use stage02_shared::PERIODIC_SHARED_COALESCED;
use stage03_unroll::{COMPUTE_FORCES_TILING_UNROLL_64, REDUCE_SMEM_UNROLL};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "warp shuffles",
    rungs: &[
        &COMPUTE_FORCES_TILING_UNROLL_64,
        &COMPUTE_FORCES_TILING_SHUFFLE,
        &PERIODIC_SHARED_COALESCED,
        &PERIODIC_SHUFFLE,
        &REDUCE_SMEM_UNROLL,
        &REDUCE_SHUFFLE,
        &REDUCE_SHUFFLE_TWO_LEVEL,
    ],
    lesson: [
        "By shuffles A and B need no barrier, but each warp then fetches every source for itself: on an H200",
        "both lose to shared memory. C hardly gains: its last levels were not what it waited for.",
    ],
    read_on: "cargo run -p book, Stage 4; diff each kernel with its rung below in stages 2 and 3",
};

/// Problem A: a warp loads 32 sources, one per lane, and shuffles hand them round. Its block must be whole warps.
pub static COMPUTE_FORCES_TILING_SHUFFLE: Rung = Rung {
    kernel: "computeForces_Tiling_Shuffle",
    source: kernel_source!("01_compute_forces_tiling_shuffle", rust),
    entry: Entry::Single("computeForces_Tiling_Shuffle"),
    grid: Grid::Stride(128),
    block: 128,
    blocks: Blocks::PowersOfTwo,
    published: Some("6.84 ms at best (Tesla K20c, 2014)"),
    below: Some(&COMPUTE_FORCES_TILING_UNROLL_64),
    ..COMPUTE_FORCES_TILING
};

/// Problem B, in the manner of A: a warp loads 32 positions, and shuffles hand them round.
pub static PERIODIC_SHUFFLE: Rung = Rung {
    kernel: "periodicShuffle",
    source: kernel_source!("04_periodic_shuffle", rust),
    entry: Entry::Single("periodicShuffle"),
    blocks: Blocks::PowersOfTwo,
    below: Some(&PERIODIC_SHARED_COALESCED),
    ..PERIODIC_SHARED_COALESCED
};

/// Problem C: the last warp's levels by shuffles.
pub static REDUCE_SHUFFLE: Rung = Rung {
    kernel: "reduceShuffle",
    source: kernel_source!("02_reduce_shuffle", rust),
    entry: Entry::PerBlock("reduceShuffle"),
    published: None,
    below: Some(&REDUCE_SMEM_UNROLL),
    ..REDUCE_SMEM_UNROLL
};

/// Problem C: every level by shuffles, in the warps and then in the first warp.
pub static REDUCE_SHUFFLE_TWO_LEVEL: Rung = Rung {
    kernel: "reduceShuffleTwoLevel",
    source: kernel_source!("03_reduce_shuffle_two_level", rust),
    entry: Entry::PerBlock("reduceShuffleTwoLevel"),
    below: Some(&REDUCE_SHUFFLE),
    ..REDUCE_SHUFFLE
};
