//! Stage 1: the tutorials' first kernels. Threads do not cooperate, and all data is in global memory.
//!
//! Each kernel is a [`Rung`] here: its file, its launch shape, and the function that launches it. Later stages name
//! these rungs as the ones below theirs.

pub mod launch;
mod sweeps;

use common::columns::Column;
use common::kernel_source;
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::stage::{Blocks, Grid, Rung, Stage};

pub use sweeps::{SWEEP_OF_BLOCKS, SWEEP_OF_GRIDS};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "every thread for itself, everything in global memory",
    rungs: &[&COMPUTE_FORCES, &COMPUTE_FORCES_TILING, &PERIODIC_GLOBAL, &REDUCE_GMEM, &NBODY_SIM_NOTILE],
    counts: |_| &[Column::SectorsPerLoad, Column::Traffic],
    read_on: "cargo run -p book, Stage 1; the comment at the top of each file in stage01-naive/kernels",
};

/// Problem A: one thread per body, all sources from global memory.
pub static COMPUTE_FORCES: Rung = Rung {
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("10.07 ms at best (Tesla K20c, 2014)"),
    ..Rung::new("computeForces", kernel_source!("01_compute_forces", rust), &Forces { launch: launch::forces })
};

/// Problem A: a grid-stride loop over targets.
pub static COMPUTE_FORCES_TILING: Rung = Rung {
    grid: Grid::Stride(64),
    block: 256,
    sweep: &SWEEP_OF_GRIDS,
    published: Some("11.14 ms at best (Tesla K20c, 2014)"),
    ..Rung::new(
        "computeForces_Tiling",
        kernel_source!("02_compute_forces_tiling", rust),
        &Forces { launch: launch::forces },
    )
};

/// Problem B: every thread reads all positions from global memory. The published program has 16 × 16 threads per block.
pub static PERIODIC_GLOBAL: Rung = Rung {
    companion: Some((kernel_source!("04_periodic_integrate", rust), "periodicIntegrate")),
    block: 256,
    published: Some("over 3.43 s for 1000 steps, its successor's figure (2009; CPU 235 s)"),
    ..Rung::new(
        "periodicGlobal",
        kernel_source!("03_periodic_global", rust),
        &Periodic {
            accelerate: launch::periodic_accelerate,
            integrate: Some(launch::periodic_integrate),
            advance: None,
        },
    )
};

/// Problem C: a tree in place, in global memory.
pub static REDUCE_GMEM: Rung = Rung {
    blocks: Blocks::PowersOfTwo,
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("239 µs and 264 µs in two runs (2025, GPU not named)"),
    ..Rung::new("reduceGmem", kernel_source!("05_reduce_gmem", rust), &Reduction { launch: launch::reduction })
};

/// Problem D: every work-item reads every position from global memory.
pub static NBODY_SIM_NOTILE: Rung = Rung {
    block: 256,
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("only a chart of frame rates (Radeon HD 5870 and GeForce GTX 480)"),
    ..Rung::new("nbody_sim_notile", kernel_source!("06_nbody_sim_notile", rust), &Galaxy { launch: launch::galaxy })
};
