//! Stage 1: the tutorials' first kernels. Every thread for itself, and everything in global memory.
//!
//! Each kernel is a [`Rung`] here: its file, its launch shape, and the function that launches it. Later stages take
//! rungs from here as the rung below theirs.

pub mod launch;

use common::kernel_source;
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::stage::{Blocks, Entry, Grid, Rung, Shape, Stage};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "every thread for itself, everything in global memory",
    rungs: &[&COMPUTE_FORCES, &COMPUTE_FORCES_TILING, &PERIODIC_GLOBAL, &REDUCE_GMEM, &NBODY_SIM_NOTILE],
    lesson: [
        "Every warp asks memory for every source itself, and the reduction writes back half of each level",
        "(counted by --device emulator: moved/needed). Stage 2 keeps both on the chip, in shared memory.",
    ],
    read_on: "cargo run -p book, Stage 1; each file of stage01-naive/kernels says what it costs",
};

/// Problem A: one thread a body, all sources from global memory.
pub static COMPUTE_FORCES: Rung = Rung {
    kernel: "computeForces",
    source: kernel_source!("01_compute_forces", rust),
    entry: Entry::Single("computeForces"),
    companion: None,
    work: &Forces { launch: launch::forces },
    grid: Grid::Covering(1),
    block: 128,
    blocks: Blocks::Any,
    shared_bytes_per_thread: 0,
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("10.07 ms at best (Tesla K20c, 2014)"),
    below: None,
};

/// Problem A: a grid-stride loop over targets.
pub static COMPUTE_FORCES_TILING: Rung = Rung {
    kernel: "computeForces_Tiling",
    source: kernel_source!("02_compute_forces_tiling", rust),
    entry: Entry::Single("computeForces_Tiling"),
    grid: Grid::Stride(64),
    block: 256,
    sweep: &SWEEP_OF_GRIDS,
    published: Some("11.14 ms at best (Tesla K20c, 2014)"),
    ..COMPUTE_FORCES
};

/// Problem B: every thread reads all positions from global memory. The published program has 16 × 16 threads per block.
pub static PERIODIC_GLOBAL: Rung = Rung {
    kernel: "periodicGlobal",
    source: kernel_source!("03_periodic_global", rust),
    entry: Entry::Single("periodicGlobal"),
    companion: Some((kernel_source!("04_periodic_integrate", rust), "periodicIntegrate")),
    work: &Periodic {
        accelerate: launch::periodic_accelerate,
        integrate: Some(launch::periodic_integrate),
        advance: None,
    },
    grid: Grid::Covering(1),
    block: 256,
    blocks: Blocks::Any,
    shared_bytes_per_thread: 0,
    sweep: &[],
    published: Some("over 3.43 s for 1000 steps, its successor's figure (2009; CPU 235 s)"),
    below: None,
};

/// Problem C: a tree in place, in global memory.
pub static REDUCE_GMEM: Rung = Rung {
    kernel: "reduceGmem",
    source: kernel_source!("05_reduce_gmem", rust),
    entry: Entry::Single("reduceGmem"),
    companion: None,
    work: &Reduction { launch: launch::reduction },
    grid: Grid::Covering(1),
    block: 128,
    blocks: Blocks::PowersOfTwo,
    shared_bytes_per_thread: 0,
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("239 us and 264 us in two runs (2025, GPU not named)"),
    below: None,
};

/// Problem D: every work-item reads every position from global memory.
pub static NBODY_SIM_NOTILE: Rung = Rung {
    kernel: "nbody_sim_notile",
    source: kernel_source!("06_nbody_sim_notile", rust),
    entry: Entry::Single("nbody_sim_notile"),
    companion: None,
    work: &Galaxy { launch: launch::galaxy },
    grid: Grid::Covering(1),
    block: 256,
    blocks: Blocks::Any,
    shared_bytes_per_thread: 0,
    sweep: &SWEEP_OF_BLOCKS,
    published: Some("a chart of frame rates alone (Radeon HD 5870 and GeForce GTX 480)"),
    below: None,
};

/// The block sizes that the tutorial of problem A tries where the grid follows from n.
pub static SWEEP_OF_BLOCKS: [Shape; 6] =
    [Shape::block(1024), Shape::block(512), Shape::block(256), Shape::block(128), Shape::block(64), Shape::block(32)];

/// The grids and block sizes that the tutorial of problem A tries for grid-stride kernels: as many threads as bodies, half, a quarter.
pub static SWEEP_OF_GRIDS: [Shape; 18] = [
    Shape::grid(16, 1024),
    Shape::grid(8, 1024),
    Shape::grid(4, 1024),
    Shape::grid(32, 512),
    Shape::grid(16, 512),
    Shape::grid(8, 512),
    Shape::grid(64, 256),
    Shape::grid(32, 256),
    Shape::grid(16, 256),
    Shape::grid(128, 128),
    Shape::grid(64, 128),
    Shape::grid(32, 128),
    Shape::grid(256, 64),
    Shape::grid(128, 64),
    Shape::grid(64, 64),
    Shape::grid(512, 32),
    Shape::grid(256, 32),
    Shape::grid(128, 32),
];
