//! Stage 5: atoms in constant memory, and threads that take several points each.
//!
//! All kernels sum the same potential on a plane of a grid of points; see [`common::problem::coulomb`] for the formula.

pub mod launch;

use common::kernel_source;
use common::problem::coulomb::{Coulomb, Method};
use common::stage::{Blocks, Entry, Grid, Rung, Stage};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "constant memory and coarsening",
    rungs: &[&COULOMB_GATHER, &COULOMB_SCATTER, &COULOMB_CONSTANT, &COULOMB_COARSENED, &COULOMB_COARSENED_COALESCED],
    lesson: [
        "64 KB of constants do not fit the caches near the cores, and a warp uses an atom once: on an H200",
        "coulombConstant loses to coulombGather. Eight points per thread fix it; the one store hardly shows.",
    ],
    read_on: "cargo run -p book, Stage 5; diff each file of stage05-coulomb/kernels with the one before",
};

/// Problem E: one thread a point, atoms from global memory.
pub static COULOMB_GATHER: Rung = Rung {
    kernel: "coulombGather",
    source: kernel_source!("01_gather_global", rust),
    entry: Entry::Single("coulombGather"),
    companion: None,
    work: &Coulomb { method: Method::Gather, launch: launch::from_global },
    grid: Grid::Tiles { across: 16, points: 1 },
    block: 256,
    blocks: Blocks::MultiplesOf(16),
    shared_bytes_per_thread: 0,
    sweep: &[],
    published: Some(SCREENSHOT),
    below: None,
};

/// Problem E, the other way round: one thread an atom, which adds to all points.
pub static COULOMB_SCATTER: Rung = Rung {
    kernel: "coulombScatter",
    source: kernel_source!("02_scatter_atomic", rust),
    entry: Entry::Single("coulombScatter"),
    work: &Coulomb { method: Method::Scatter, launch: launch::from_global },
    grid: Grid::Covering(1),
    block: 32,
    blocks: Blocks::Any,
    published: None,
    ..COULOMB_GATHER
};

/// Problem E: one thread a point, atoms from constant memory, 4096 a launch.
pub static COULOMB_CONSTANT: Rung = Rung {
    kernel: "coulombConstant",
    source: kernel_source!("03_constant", rust),
    entry: Entry::Single("coulombConstant"),
    work: &Coulomb { method: Method::Chunks, launch: launch::from_constant },
    below: Some(&COULOMB_GATHER),
    ..COULOMB_GATHER
};

/// Problem E: eight neighboring points per thread.
pub static COULOMB_COARSENED: Rung = Rung {
    kernel: "coulombCoarsened",
    source: kernel_source!("04_coarsened", rust),
    entry: Entry::Single("coulombCoarsened"),
    grid: Grid::Tiles { across: 16, points: 8 },
    below: Some(&COULOMB_CONSTANT),
    ..COULOMB_CONSTANT
};

/// Problem E: eight points a thread, 16 apart.
pub static COULOMB_COARSENED_COALESCED: Rung = Rung {
    kernel: "coulombCoarsenedCoalesced",
    source: kernel_source!("05_coarsened_coalesced", rust),
    entry: Entry::Single("coulombCoarsenedCoalesced"),
    below: Some(&COULOMB_COARSENED),
    ..COULOMB_COARSENED
};

const SCREENSHOT: &str = "figures only as a screenshot";
