//! Stage 3: more work per iteration of a loop, and per thread.
//!
//! The rungs below these are in stage 2. The kernels take the same parameters, so stage 1's functions launch them.

use common::columns::Column;
use common::kernel_source;
use common::stage::{Blocks, Entry, Grid, Rung, Stage};
use stage02_shared::{COMPUTE_FORCES_SHARED, COMPUTE_FORCES_TILING_SHARED, NBODY_SIM, REDUCE_SMEM};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "unrolled loops, and several elements per thread",
    rungs: &[
        &COMPUTE_FORCES_SHARED,
        &COMPUTE_FORCES_UNROLL_1,
        &COMPUTE_FORCES_UNROLL_16,
        &COMPUTE_FORCES_UNROLL_FULL,
        &COMPUTE_FORCES_UNROLL_64,
        &COMPUTE_FORCES_TILING_SHARED,
        &COMPUTE_FORCES_TILING_UNROLL_64,
        &REDUCE_SMEM,
        &REDUCE_SMEM_UNROLL,
        &REDUCE_SMEM_UNROLL_DYN,
        &NBODY_SIM,
        &NBODY_SIM_UNROLL,
        &NBODY_SIM_FLOAT4,
    ],
    counts: |_| &[Column::Instructions, Column::Barriers],
    read_on: "cargo run -p book, Stage 3; compare each kernel with the one that it improves on",
};

/// Problem A: stage 2's kernel without unrolling, one source per iteration of the loop over a tile.
pub static COMPUTE_FORCES_UNROLL_1: Rung = Rung {
    entry: Entry::Single("computeForces_unroll1"),
    blocks: Blocks::OneOf(&[128]),
    sweep: &[],
    ..COMPUTE_FORCES_SHARED.next("computeForces_unroll1", kernel_source!("01_compute_forces_unroll", rust))
};

/// Problem A: sixteen sources per iteration; stage 2's kernel takes four.
pub static COMPUTE_FORCES_UNROLL_16: Rung = Rung {
    kernel: "computeForces_unroll16",
    entry: Entry::Single("computeForces_unroll16"),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Problem A: the whole tile per iteration, which leaves no inner loop. This is the published form.
pub static COMPUTE_FORCES_UNROLL_FULL: Rung = Rung {
    kernel: "computeForces_unrollFull",
    entry: Entry::Single("computeForces_unrollFull"),
    published: Some("7.04 ms at best (Tesla K20c, 2014)"),
    below: Some(&COMPUTE_FORCES_UNROLL_16),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Problem A: at most 64 sources per iteration, in all block sizes that the tutorial tries.
pub static COMPUTE_FORCES_UNROLL_64: Rung = Rung {
    below: Some(&COMPUTE_FORCES_UNROLL_FULL),
    ..COMPUTE_FORCES_SHARED.with_kernel("computeForces_unroll64", kernel_source!("02_compute_forces_unroll64", rust))
};

/// Problem A: at most 64 sources per iteration, in a grid-stride loop over targets.
pub static COMPUTE_FORCES_TILING_UNROLL_64: Rung = Rung {
    published: Some("7.20 ms at best, unrolled in full (Tesla K20c, 2014)"),
    ..COMPUTE_FORCES_TILING_SHARED
        .next("computeForces_Tiling_unroll64", kernel_source!("03_compute_forces_tiling_unroll64", rust))
};

/// Problem C: each thread adds four elements before the tree begins.
pub static REDUCE_SMEM_UNROLL: Rung = Rung {
    grid: Grid::Covering(4),
    published: Some("81 µs and 87 µs in two runs (2025, GPU not named)"),
    ..REDUCE_SMEM.next("reduceSmemUnroll", kernel_source!("04_reduce_smem_unroll", rust))
};

/// Problem C: the same tree in dynamic shared memory.
pub static REDUCE_SMEM_UNROLL_DYN: Rung = Rung {
    entry: Entry::Single("reduceSmemUnrollDyn"),
    shared_bytes_per_thread: 4,
    published: Some("87 µs (2025, GPU not named)"),
    ..REDUCE_SMEM_UNROLL.next("reduceSmemUnrollDyn", kernel_source!("05_reduce_smem_unroll_dyn", rust))
};

/// Problem D: four sources per iteration.
pub static NBODY_SIM_UNROLL: Rung = Rung {
    published: Some("about 30 % more frames a second than nbody_sim (AMD, by a chart)"),
    ..NBODY_SIM.next("nbody_sim_unroll", kernel_source!("06_nbody_sim_unroll", rust))
};

/// Problem D: each source is one float4, also in shared memory.
pub static NBODY_SIM_FLOAT4: Rung = Rung {
    published: Some("about 10 % more frames a second than nbody_sim_unroll (AMD, by a chart)"),
    below: Some(&NBODY_SIM_UNROLL),
    ..NBODY_SIM.with_kernel("nbody_sim_float4", kernel_source!("07_nbody_sim_float4", rust))
};
