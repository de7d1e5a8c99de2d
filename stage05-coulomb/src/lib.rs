//! Stage 5: atoms in constant memory, and several points per thread.
//!
//! All kernels sum the same potential at the points of a plane; see [`common::problem::coulomb`] for the formula.

pub mod launch;

use common::columns::Column;
use common::kernel_source;
use common::problem::coulomb::{Coulomb, Method};
use common::stage::{Blocks, Grid, Rung, Stage};

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "constant memory and coarsening",
    rungs: &[&COULOMB_GATHER, &COULOMB_SCATTER, &COULOMB_CONSTANT, &COULOMB_COARSENED, &COULOMB_COARSENED_COALESCED],
    counts: |_| &[Column::SectorsPerLoad, Column::SectorsPerStore, Column::Traffic],
    read_on: "cargo run -p book, Stage 5; diff each file of stage05-coulomb/kernels with the one before",
};

/// Problem E: one thread per point, atoms from global memory.
pub static COULOMB_GATHER: Rung = Rung {
    grid: Grid::Tiles { across: 16, points: 1 },
    block: 256,
    blocks: Blocks::MultiplesOf(16),
    published: Some(SCREENSHOT),
    ..Rung::new(
        "coulombGather",
        kernel_source!("01_gather_global", rust),
        &Coulomb { method: Method::Gather, launch: launch::from_global },
    )
};

/// Problem E, the other way round: one thread per atom, which adds to all points.
pub static COULOMB_SCATTER: Rung = Rung {
    work: &Coulomb { method: Method::Scatter, launch: launch::from_global },
    grid: Grid::Covering(1),
    block: 32,
    blocks: Blocks::Any,
    ..COULOMB_GATHER.with_kernel("coulombScatter", kernel_source!("02_scatter_atomic", rust))
};

/// Problem E: one thread per point, atoms from constant memory, 4096 per launch.
pub static COULOMB_CONSTANT: Rung = Rung {
    work: &Coulomb { method: Method::Chunks, launch: launch::from_constant },
    published: Some(SCREENSHOT),
    ..COULOMB_GATHER.next("coulombConstant", kernel_source!("03_constant", rust))
};

/// Problem E: eight neighboring points per thread.
pub static COULOMB_COARSENED: Rung = Rung {
    grid: Grid::Tiles { across: 16, points: 8 },
    published: Some(SCREENSHOT),
    ..COULOMB_CONSTANT.next("coulombCoarsened", kernel_source!("04_coarsened", rust))
};

/// Problem E: eight points per thread, 16 apart.
pub static COULOMB_COARSENED_COALESCED: Rung = Rung {
    published: Some(SCREENSHOT),
    ..COULOMB_COARSENED.next("coulombCoarsenedCoalesced", kernel_source!("05_coarsened_coalesced", rust))
};

const SCREENSHOT: &str = "figures only as a screenshot";
