//! Stage 4: the lanes of a warp exchange registers.
//!
//! The rungs below these are in stages 2 and 3. The kernels take the same parameters, so stage 1's functions launch them.

use common::columns::Column;
use common::kernel_source;
use common::stage::{Blocks, Grid, Rung, Stage};
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
    counts: |_| &[Column::Shuffles, Column::Barriers, Column::Traffic],
    read_on: "cargo run -p book, Stage 4; compare each kernel with the one that it improves on",
};

/// Problem A: a warp loads 32 sources, one per lane, and shuffles broadcast them. A block must consist of whole warps.
pub static COMPUTE_FORCES_TILING_SHUFFLE: Rung = Rung {
    grid: Grid::Stride(128),
    block: 128,
    blocks: Blocks::PowersOfTwo,
    published: Some("6.84 ms at best (Tesla K20c, 2014)"),
    below: Some(&COMPUTE_FORCES_TILING_UNROLL_64),
    ..COMPUTE_FORCES_TILING
        .with_kernel("computeForces_Tiling_Shuffle", kernel_source!("01_compute_forces_tiling_shuffle", rust))
};

/// Problem B, in the same way as A: a warp loads 32 positions, and shuffles broadcast them.
pub static PERIODIC_SHUFFLE: Rung = Rung {
    blocks: Blocks::PowersOfTwo,
    ..PERIODIC_SHARED_COALESCED.next("periodicShuffle", kernel_source!("04_periodic_shuffle", rust))
};

/// Problem C: the last warp's levels use shuffles.
pub static REDUCE_SHUFFLE: Rung = REDUCE_SMEM_UNROLL.next("reduceShuffle", kernel_source!("02_reduce_shuffle", rust));

/// Problem C: every level uses shuffles, first in all warps and then in the first warp.
pub static REDUCE_SHUFFLE_TWO_LEVEL: Rung =
    REDUCE_SHUFFLE.next("reduceShuffleTwoLevel", kernel_source!("03_reduce_shuffle_two_level", rust));
