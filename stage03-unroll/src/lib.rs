//! Stage 3: more work for each round of a loop, and for each thread.
//!
//! Rows of stage 2 stand below those that improve on them. The kernels take the same parameters, so that stage 1's
//! functions launch them.

use common::kernel_source;
use common::stage::{Blocks, Entry, Grid, Row, Stage};
use stage02_shared::{COMPUTE_FORCES_SHARED, NBODY_SIM, REDUCE_SMEM};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "unrolled loops, and several elements a thread",
    rows: &[
        &COMPUTE_FORCES_SHARED_256,
        &COMPUTE_FORCES_UNROLL_1,
        &COMPUTE_FORCES_UNROLL_4,
        &COMPUTE_FORCES_UNROLL_16,
        &COMPUTE_FORCES_UNROLL_FULL,
        &REDUCE_SMEM,
        &REDUCE_SMEM_UNROLL,
        &REDUCE_SMEM_UNROLL_DYN,
        &NBODY_SIM,
        &NBODY_SIM_UNROLL,
        &NBODY_SIM_FLOAT4,
    ],
    lesson: [
        "Unrolling saves instructions and lets loads overlap. Four elements a thread buy C about threefold on",
        "an H200; D's 16-byte loads count fewer passes there and still lose to plain unrolling: time it.",
    ],
    read_on: "cargo run -p book, Stage 3; diff each kernel with its rung below in stage02-shared/kernels",
};

/// Tutorial A: stage 2's kernel, in blocks of the same size as those that follow.
pub static COMPUTE_FORCES_SHARED_256: Row = Row { block: 256, ..COMPUTE_FORCES_SHARED };

/// Tutorial A: the loop over a tile as it is written.
pub static COMPUTE_FORCES_UNROLL_1: Row = Row {
    kernel: "computeForces_unroll1",
    source: kernel_source!("01_compute_forces_shared_unroll"),
    entry: Entry::Single("computeForces_Shared_256_unroll1"),
    blocks: Blocks::OneOf(&[256]),
    sweep: &[],
    published: None,
    below: Some(&COMPUTE_FORCES_SHARED_256),
    ..COMPUTE_FORCES_SHARED_256
};

/// Tutorial A: four sources a round.
pub static COMPUTE_FORCES_UNROLL_4: Row = Row {
    kernel: "computeForces_unroll4",
    entry: Entry::Single("computeForces_Shared_256_unroll4"),
    below: Some(&COMPUTE_FORCES_UNROLL_1),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Tutorial A: sixteen sources a round.
pub static COMPUTE_FORCES_UNROLL_16: Row = Row {
    kernel: "computeForces_unroll16",
    entry: Entry::Single("computeForces_Shared_256_unroll16"),
    below: Some(&COMPUTE_FORCES_UNROLL_4),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Tutorial A: the whole tile a round, which is no loop any more.
pub static COMPUTE_FORCES_UNROLL_FULL: Row = Row {
    kernel: "computeForces_unrollFull",
    entry: Entry::Single("computeForces_Shared_256_unrollFull"),
    below: Some(&COMPUTE_FORCES_UNROLL_16),
    ..COMPUTE_FORCES_UNROLL_1
};

/// Tutorial C: each thread adds four elements before the tree begins.
pub static REDUCE_SMEM_UNROLL: Row = Row {
    kernel: "reduceSmemUnroll",
    source: kernel_source!("02_reduce_smem_unroll"),
    entry: Entry::PerBlock("reduceSmemUnroll"),
    grid: Grid::Covering(4),
    published: Some("81 us and 87 us in two runs (2025, GPU not named)"),
    below: Some(&REDUCE_SMEM),
    ..REDUCE_SMEM
};

/// Tutorial C: the same in dynamic shared memory.
pub static REDUCE_SMEM_UNROLL_DYN: Row = Row {
    kernel: "reduceSmemUnrollDyn",
    source: kernel_source!("03_reduce_smem_unroll_dyn"),
    entry: Entry::Single("reduceSmemUnrollDyn"),
    shared_bytes_per_thread: 4,
    published: Some("87 us (2025, GPU not named)"),
    below: Some(&REDUCE_SMEM_UNROLL),
    ..REDUCE_SMEM_UNROLL
};

/// Tutorial D: four sources a round.
pub static NBODY_SIM_UNROLL: Row = Row {
    kernel: "nbody_sim_unroll",
    source: kernel_source!("04_nbody_sim_unroll"),
    entry: Entry::Single("nbody_sim_unroll"),
    published: Some("about 30 % more frames a second than nbody_sim (AMD, by a chart)"),
    below: Some(&NBODY_SIM),
    ..NBODY_SIM
};

/// Tutorial D: a source is one float4, in shared memory too.
pub static NBODY_SIM_FLOAT4: Row = Row {
    kernel: "nbody_sim_float4",
    source: kernel_source!("05_nbody_sim_float4"),
    entry: Entry::Single("nbody_sim_float4"),
    published: Some("about 10 % more frames a second than nbody_sim_unroll (AMD, by a chart)"),
    below: Some(&NBODY_SIM_UNROLL),
    ..NBODY_SIM
};
