//! Stage 4: the lanes of a warp exchange registers.
//!
//! The rungs below these are in stages 2 and 3. The kernels take the same parameters, so stage 1's functions launch them.

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
    read_on: "cargo run -p book, Stage 4; compare each kernel with the one that it improves on",
};

/// Problem A: a warp loads 32 sources, one per lane, and shuffles broadcast them. A block must consist of whole warps.
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

/// Problem B, in the same way as A: a warp loads 32 positions, and shuffles broadcast them.
pub static PERIODIC_SHUFFLE: Rung = Rung {
    kernel: "periodicShuffle",
    source: kernel_source!("04_periodic_shuffle", rust),
    entry: Entry::Single("periodicShuffle"),
    blocks: Blocks::PowersOfTwo,
    below: Some(&PERIODIC_SHARED_COALESCED),
    ..PERIODIC_SHARED_COALESCED
};

/// Problem C: the last warp's levels use shuffles.
pub static REDUCE_SHUFFLE: Rung = Rung {
    kernel: "reduceShuffle",
    source: kernel_source!("02_reduce_shuffle", rust),
    entry: Entry::PerBlock("reduceShuffle"),
    published: None,
    below: Some(&REDUCE_SMEM_UNROLL),
    ..REDUCE_SMEM_UNROLL
};

/// Problem C: every level uses shuffles, first in all warps and then in the first warp.
pub static REDUCE_SHUFFLE_TWO_LEVEL: Rung = Rung {
    kernel: "reduceShuffleTwoLevel",
    source: kernel_source!("03_reduce_shuffle_two_level", rust),
    entry: Entry::PerBlock("reduceShuffleTwoLevel"),
    below: Some(&REDUCE_SHUFFLE),
    ..REDUCE_SHUFFLE
};
