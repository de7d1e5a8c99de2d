//! Stage 6: the same problems, pushed to the ceilings of the chip.
//!
//! The rung below the first of each ladder is in an earlier stage. The kernels have their own data layouts, next to
//! their launches: one file per problem.

pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod periodic;
pub mod reduction;

use common::columns::Column;
use common::kernel_source;
use common::problem::coulomb::{Coulomb, Method};
use common::problem::forces::Forces;
use common::problem::galaxy::Galaxy;
use common::problem::periodic::Periodic;
use common::problem::reduction::Reduction;
use common::stage::{Blocks, Entry, Grid, Rung, Shape, Stage};
use stage02_shared::{PERIODIC_SHARED_COALESCED, REDUCE_SMEM};
use stage03_unroll::{COMPUTE_FORCES_UNROLL_64, NBODY_SIM_UNROLL};
use stage04_shuffle::REDUCE_SHUFFLE_TWO_LEVEL;
use stage05_coulomb::COULOMB_COARSENED;

/// The stage's table.
pub static STAGE: Stage = Stage {
    name: env!("CARGO_PKG_NAME"),
    title: "to the limit of the chip",
    rungs: &[
        &COMPUTE_FORCES_UNROLL_64,
        &FORCES_FLOAT4,
        &FORCES_REGISTER_TILE,
        &FORCES_SPLIT_SOURCES,
        &FORCES_FAST_ROOT,
        &FORCES_THIRD_LAW,
        &FORCES_THIRD_LAW_SHARED,
        &FORCES_THIRD_LAW_VECTOR,
        &FORCES_MIXED_ROOTS,
        &FORCES_MIXED_ROOTS_SHARED,
        &FORCES_TENSOR_CORES,
        &PERIODIC_SHARED_COALESCED,
        &PERIODIC_ARRAYS,
        &PERIODIC_FRACTIONS,
        &PERIODIC_FUSED,
        &PERIODIC_GRAPH,
        &PERIODIC_PERSISTENT,
        &REDUCE_INTERLEAVED,
        &REDUCE_SMEM,
        &REDUCE_SHUFFLE_TWO_LEVEL,
        &REDUCE_VECTOR,
        &REDUCE_GRID_STRIDE,
        &REDUCE_ONE_PASS,
        &REDUCE_STREAMING,
        &REDUCE_ASYNC_COPY,
        &REDUCE_BULK_COPY,
        &NBODY_SIM_UNROLL,
        &GALAXY_THIRD_LAW,
        &GALAXY_MIXED_ROOTS,
        &COULOMB_COARSENED,
        &COULOMB_TILE,
        &COULOMB_SPLIT_ATOMS,
        &COULOMB_SOFTWARE_ROOT,
    ],
    counts: |_| &[Column::Instructions, Column::Traffic],
    read_on: "cargo run -p book, Stage 6; diff each file of stage06-limit/kernels with the one before",
};

/// Problem A: each source is one float4.
pub static FORCES_FLOAT4: Rung = Rung {
    entry: Entry::PerBlock("forcesFloat4"),
    blocks: Blocks::OneOf(&[64, 128, 256, 512]),
    sweep: &FORCES_SWEEP,
    below: Some(&COMPUTE_FORCES_UNROLL_64),
    ..Rung::new("forcesFloat4", kernel_source!("01_forces_float4"), &Forces { launch: forces::writing::<false> })
};

const FORCES_SWEEP: [Shape; 4] = [Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512)];

/// Problem A: four targets per thread, in registers.
pub static FORCES_REGISTER_TILE: Rung = Rung {
    grid: Grid::Covering(forces::TARGETS_EACH),
    ..FORCES_FLOAT4.next("forcesRegisterTile", kernel_source!("02_forces_register_tile"))
};

/// Problem A: the sources split over blocks, which add to the forces.
pub static FORCES_SPLIT_SOURCES: Rung = Rung {
    work: &Forces { launch: forces::adding::<false> },
    grid: Grid::Computed(forces::slices),
    ..FORCES_REGISTER_TILE.next("forcesSplitSources", kernel_source!("03_forces_split_sources"))
};

/// Problem A: the special-function unit's reciprocal square root without refinement.
pub static FORCES_FAST_ROOT: Rung = FORCES_SPLIT_SOURCES.next("forcesFastRoot", kernel_source!("04_forces_fast_root"));

/// Problem A: each pair of bodies once; one body stays in its lane, the other is shuffled through the warp.
pub static FORCES_THIRD_LAW: Rung = Rung {
    entry: Entry::Single("forcesThirdLaw"),
    grid: Grid::Computed(forces::pairs_of_tiles),
    block: 256,
    blocks: Blocks::OneOf(&[32, 64, 128, 256]),
    sweep: &WARPS_SWEEP,
    ..FORCES_FAST_ROOT.next("forcesThirdLaw", kernel_source!("05_forces_third_law"))
};

const WARPS_SWEEP: [Shape; 4] = [Shape::block(32), Shape::block(64), Shape::block(128), Shape::block(256)];

/// Problem A: positions of the shuffled bodies are in shared memory; only their accumulated forces are shuffled.
pub static FORCES_THIRD_LAW_SHARED: Rung =
    FORCES_THIRD_LAW.next("forcesThirdLawShared", kernel_source!("06_forces_third_law_shared"));

/// Problem A: a body's force is added as one vector.
pub static FORCES_THIRD_LAW_VECTOR: Rung = Rung {
    work: &Forces { launch: forces::adding::<true> },
    ..FORCES_THIRD_LAW.next("forcesThirdLawVector", kernel_source!("07_forces_third_law_vector"))
};

/// Problem A: some roots are computed by a logarithm and a power, which include the mass.
pub static FORCES_MIXED_ROOTS: Rung = Rung {
    work: &Forces { launch: forces::adding_mixed_roots },
    ..FORCES_THIRD_LAW_VECTOR.next("forcesMixedRoots", kernel_source!("08_forces_mixed_roots"))
};

/// Problem A: the same roots, with the shuffled bodies in shared memory.
pub static FORCES_MIXED_ROOTS_SHARED: Rung =
    FORCES_MIXED_ROOTS.next("forcesMixedRootsShared", kernel_source!("09_forces_mixed_roots_shared", rust));

/// Problem A: distances and sums as matrix products.
pub static FORCES_TENSOR_CORES: Rung = Rung {
    work: &Forces { launch: forces::adding_sorted },
    grid: Grid::Computed(forces::slices_of_sorted),
    block: 128,
    blocks: Blocks::OneOf(&[128]),
    sweep: &[],
    ..FORCES_MIXED_ROOTS_SHARED.next("forcesTensorCores", kernel_source!("50_forces_tensor_cores"))
};

/// Problem B: positions, velocities and accelerations in separate arrays.
pub static PERIODIC_ARRAYS: Rung = Rung {
    companion: Some((kernel_source!("11_periodic_arrays_integrate"), "periodicArraysIntegrate")),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    below: Some(&PERIODIC_SHARED_COALESCED),
    ..Rung::new(
        "periodicArrays",
        kernel_source!("10_periodic_arrays"),
        &Periodic {
            accelerate: periodic::accelerate::<f32>,
            integrate: Some(periodic::integrate::<f32>),
            advance: None,
        },
    )
};

/// Problem B: positions as 32-bit fractions of the square's side.
pub static PERIODIC_FRACTIONS: Rung = Rung {
    companion: Some((kernel_source!("13_periodic_fractions_integrate"), "periodicFractionsIntegrate")),
    work: &Periodic {
        accelerate: periodic::accelerate::<u32>,
        integrate: Some(periodic::integrate::<u32>),
        advance: None,
    },
    ..PERIODIC_ARRAYS.next("periodicFractions", kernel_source!("12_periodic_fractions"))
};

/// Problem B: the sources split over a block's threads, and a whole step in one launch.
pub static PERIODIC_FUSED: Rung = Rung {
    companion: None,
    work: &Periodic { accelerate: periodic::fused, integrate: None, advance: None },
    grid: Grid::Computed(periodic::blocks_of_own),
    block: 1024,
    blocks: Blocks::OneOf(&[1024]),
    ..PERIODIC_FRACTIONS.next("periodicFused", kernel_source!("14_periodic_fused", rust))
};

/// Problem B: the launches of all steps, recorded once and launched as one graph.
pub static PERIODIC_GRAPH: Rung = Rung {
    kernel: "periodicGraph",
    work: &Periodic { accelerate: periodic::fused_step, integrate: None, advance: Some(periodic::graph) },
    below: Some(&PERIODIC_FUSED),
    ..PERIODIC_FUSED
};

/// Problem B: all steps in one cooperative launch, with grid-wide barriers between them.
pub static PERIODIC_PERSISTENT: Rung = Rung {
    work: &Periodic { accelerate: periodic::persistent_step, integrate: None, advance: Some(periodic::persistent) },
    ..PERIODIC_FUSED.next("periodicPersistent", kernel_source!("15_periodic_persistent"))
};

/// Problem C: Harris's first kernel, which diverges.
pub static REDUCE_INTERLEAVED: Rung = Rung {
    entry: Entry::PerBlock("reduceInterleaved"),
    block: 256,
    blocks: Blocks::OneOf(&[64, 128, 256, 512, 1024]),
    sweep: &REDUCE_SWEEP,
    published: Some("8.05 ms for 2^22 integers (GeForce 8800 GTX, 2007)"),
    ..Rung::new(
        "reduceInterleaved",
        kernel_source!("20_reduce_interleaved"),
        &Reduction { launch: stage01_naive::launch::reduction },
    )
};

const REDUCE_SWEEP: [Shape; 5] =
    [Shape::block(64), Shape::block(128), Shape::block(256), Shape::block(512), Shape::block(1024)];

/// Problem C: loads of 16 bytes, four in flight per thread.
pub static REDUCE_VECTOR: Rung = Rung {
    grid: Grid::Covering(reduction::ELEMENTS_EACH),
    below: Some(&REDUCE_SHUFFLE_TWO_LEVEL),
    ..REDUCE_INTERLEAVED.with_kernel("reduceVector", kernel_source!("21_reduce_vector"))
};

/// Problem C: as many blocks as the chip holds, in a grid-stride loop.
pub static REDUCE_GRID_STRIDE: Rung = Rung {
    grid: Grid::Stride(reduction::RESIDENT_BLOCKS),
    block: 1024,
    sweep: &RESIDENT_SWEEP,
    ..REDUCE_VECTOR.next("reduceGridStride", kernel_source!("22_reduce_grid_stride"))
};

const RESIDENT_SWEEP: [Shape; 5] = [
    Shape::grid(132 * 8, 256),
    Shape::grid(132 * 4, 512),
    Shape::grid(132, 1024),
    Shape::grid(132 * 2, 1024),
    Shape::grid(132 * 8, 1024),
];

/// Problem C: the last block adds the partial sums of all.
pub static REDUCE_ONE_PASS: Rung = Rung {
    work: &Reduction { launch: reduction::one_pass },
    ..REDUCE_GRID_STRIDE.next("reduceOnePass", kernel_source!("23_reduce_one_pass"))
};

/// Problem C: loads with a hint to the caches that the data is used once.
pub static REDUCE_STREAMING: Rung =
    REDUCE_ONE_PASS.next("reduceStreaming", kernel_source!("24_reduce_streaming", rust));

/// Problem C: asynchronous copies, which bypass the registers; three in flight per thread.
pub static REDUCE_ASYNC_COPY: Rung = Rung {
    grid: Grid::Stride(528),
    block: 512,
    blocks: Blocks::OneOf(&[64, 128, 256, 512]),
    sweep: &[Shape::grid(132 * 8, 256), Shape::grid(132 * 3, 512), Shape::grid(132 * 4, 512)],
    ..REDUCE_ONE_PASS.next("reduceAsyncCopy", kernel_source!("25_reduce_async_copy"))
};

/// Problem C: bulk asynchronous copies of 16 KB each.
pub static REDUCE_BULK_COPY: Rung = Rung {
    grid: Grid::Stride(264),
    block: 256,
    blocks: Blocks::OneOf(&[256]),
    shared_bytes_per_thread: 256,
    sweep: &[Shape::grid(132, 256), Shape::grid(132 * 2, 256), Shape::grid(132 * 3, 256)],
    ..REDUCE_ASYNC_COPY.next("reduceBulkCopy", kernel_source!("26_reduce_bulk_copy"))
};

/// Problem D: each pair of bodies once, and the time step in the same launch.
pub static GALAXY_THIRD_LAW: Rung = Rung {
    grid: Grid::Computed(galaxy::pairs_of_tiles),
    block: 256,
    blocks: Blocks::OneOf(&[32, 64, 128, 256]),
    sweep: &WARPS_SWEEP,
    below: Some(&NBODY_SIM_UNROLL),
    ..Rung::new("galaxyThirdLaw", kernel_source!("40_galaxy_third_law"), &Galaxy { launch: galaxy::step })
};

/// Problem D: the pairs of A's fastest kernel.
pub static GALAXY_MIXED_ROOTS: Rung = Rung {
    work: &Galaxy { launch: galaxy::step_of_mixed_roots },
    ..GALAXY_THIRD_LAW.next("galaxyMixedRoots", kernel_source!("41_galaxy_mixed_roots", rust))
};

/// Problem E: 8 columns and 4 rows of points per thread.
pub static COULOMB_TILE: Rung = Rung {
    grid: Grid::Computed(coulomb::tiles),
    blocks: Blocks::OneOf(&[128]),
    below: Some(&COULOMB_COARSENED),
    ..Rung::new(
        "coulombTile",
        kernel_source!("30_coulomb_tile", rust),
        &Coulomb { method: Method::Gather, launch: stage05_coulomb::launch::from_global },
    )
};

/// Problem E: the atoms split over blocks, which add to the points.
pub static COULOMB_SPLIT_ATOMS: Rung = Rung {
    work: &Coulomb { method: Method::Gather, launch: coulomb::adding },
    grid: Grid::Computed(coulomb::tiles_of_slices),
    ..COULOMB_TILE.next("coulombSplitAtoms", kernel_source!("31_coulomb_split_atoms", rust))
};

/// Problem E: some roots are computed without the special-function unit.
pub static COULOMB_SOFTWARE_ROOT: Rung = Rung {
    work: &Coulomb { method: Method::Gather, launch: coulomb::adding_software_roots },
    ..COULOMB_SPLIT_ATOMS.next("coulombSoftwareRoot", kernel_source!("32_coulomb_software_root", rust))
};
