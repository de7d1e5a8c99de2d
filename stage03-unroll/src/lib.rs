//! Stage 3: more work per round of a loop, and per thread.
//!
//! Rungs of stage 2 are below those that improve on them. The kernels take the same parameters, so that stage 1's
//! functions launch them.

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
    lesson: [
        "Unrolling saves instructions and joins reads. On an H200, A takes a third of its time by 64 sources",
        "per round, and more again when unrolled in full. C gains threefold by four elements per thread.",
    ],
    read_on: "cargo run -p book, Stage 3; diff each kernel with its rung below in stage02-shared/kernels",
};

/// Problem A: stage 2's kernel without its unrolling, one source per round of the loop over a tile.
pub static COMPUTE_FORCES_UNROLL_1: Rung = Rung {
    kernel: "computeForces_unroll1",
    source: kernel_source!("01_compute_forces_unroll", rust),
    entry: Entry::Single("computeForces_unroll1"),
    blocks: Blocks::OneOf(&[128]),
    sweep: &[],
    published: None,
    below: Some(&COMPUTE_FORCES_SHARED),
    ..COMPUTE_FORCES_SHARED
};

/// Problem A: sixteen sources per round, where stage 2's kernel takes four.
pub static COMPUTE_FORCES_UNROLL_16: Rung = Rung {
    kernel: "computeForces_unroll16",
    entry: Entry::Single("computeForces_unroll16"),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Problem A: the whole tile per round, which leaves no loop. This is the published form.
pub static COMPUTE_FORCES_UNROLL_FULL: Rung = Rung {
    kernel: "computeForces_unrollFull",
    entry: Entry::Single("computeForces_unrollFull"),
    published: Some("7.04 ms at best (Tesla K20c, 2014)"),
    below: Some(&COMPUTE_FORCES_UNROLL_16),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Problem A: at most 64 sources per round, in all block sizes that the tutorial tries.
pub static COMPUTE_FORCES_UNROLL_64: Rung = Rung {
    kernel: "computeForces_unroll64",
    source: kernel_source!("02_compute_forces_unroll64", rust),
    entry: Entry::PerBlock("computeForces_unroll64"),
    published: None,
    below: Some(&COMPUTE_FORCES_UNROLL_FULL),
    ..COMPUTE_FORCES_SHARED
};

/// Problem A: at most 64 sources per round, in a grid-stride loop over targets.
pub static COMPUTE_FORCES_TILING_UNROLL_64: Rung = Rung {
    kernel: "computeForces_Tiling_unroll64",
    source: kernel_source!("03_compute_forces_tiling_unroll64", rust),
    entry: Entry::PerBlock("computeForces_Tiling_unroll64"),
    published: Some("7.20 ms at best, unrolled in full (Tesla K20c, 2014)"),
    below: Some(&COMPUTE_FORCES_TILING_SHARED),
    ..COMPUTE_FORCES_TILING_SHARED
};

/// Problem C: each thread adds four elements before the tree begins.
pub static REDUCE_SMEM_UNROLL: Rung = Rung {
    kernel: "reduceSmemUnroll",
    source: kernel_source!("04_reduce_smem_unroll", rust),
    entry: Entry::PerBlock("reduceSmemUnroll"),
    grid: Grid::Covering(4),
    published: Some("81 us and 87 us in two runs (2025, GPU not named)"),
    below: Some(&REDUCE_SMEM),
    ..REDUCE_SMEM
};

/// Problem C: the same in dynamic shared memory.
pub static REDUCE_SMEM_UNROLL_DYN: Rung = Rung {
    kernel: "reduceSmemUnrollDyn",
    source: kernel_source!("05_reduce_smem_unroll_dyn", rust),
    entry: Entry::Single("reduceSmemUnrollDyn"),
    shared_bytes_per_thread: 4,
    published: Some("87 us (2025, GPU not named)"),
    below: Some(&REDUCE_SMEM_UNROLL),
    ..REDUCE_SMEM_UNROLL
};

/// Problem D: four sources a round.
pub static NBODY_SIM_UNROLL: Rung = Rung {
    kernel: "nbody_sim_unroll",
    source: kernel_source!("06_nbody_sim_unroll", rust),
    entry: Entry::Single("nbody_sim_unroll"),
    published: Some("about 30 % more frames a second than nbody_sim (AMD, by a chart)"),
    below: Some(&NBODY_SIM),
    ..NBODY_SIM
};

/// Problem D: a source is one float4, in shared memory too.
pub static NBODY_SIM_FLOAT4: Rung = Rung {
    kernel: "nbody_sim_float4",
    source: kernel_source!("07_nbody_sim_float4", rust),
    entry: Entry::Single("nbody_sim_float4"),
    published: Some("about 10 % more frames a second than nbody_sim_unroll (AMD, by a chart)"),
    below: Some(&NBODY_SIM_UNROLL),
    ..NBODY_SIM
};
