//! The twins in Rust do what the kernels do.

use common::problem::Size;
use common::stage::{Rung, Shape};
use stage_tests::languages::{SIZES, does_the_same, does_the_same_to_memory, same_in_rust, takes_no_more_instructions};
use stage_tests::planes::over_a_plane;
use stage06_limit::{
    COULOMB_SOFTWARE_ROOT, COULOMB_SPLIT_ATOMS, COULOMB_TILE, FORCES_MIXED_ROOTS_SHARED, GALAXY_MIXED_ROOTS,
    PERIODIC_FUSED, REDUCE_STREAMING,
};

/// Warps add to the same sums: one to a block, they come one after the other, as blocks do.
fn same_by_warps(rung: &Rung) {
    same_in_rust(rung, &[Shape::block(32)], 0.05);
    let steps = rung.work.facts().steps.map(|_| 2);
    let sizes = SIZES.map(|n| Size { steps, ..Size::new(n) });
    [64, 128, 256].into_iter().for_each(|block| does_the_same_to_memory(rung, &sizes, Shape::block(block)));
}

#[test]
fn forces_do_the_same() {
    same_by_warps(&FORCES_MIXED_ROOTS_SHARED);
}

#[test]
fn galaxies_do_the_same() {
    same_by_warps(&GALAXY_MIXED_ROOTS);
}

#[test]
fn steps_in_the_box_do_the_same() {
    same_in_rust(&PERIODIC_FUSED, &[Shape::block(1024)], 0.05);
}

#[test]
fn sums_do_the_same() {
    let shapes = [(7, 64), (2, 128), (5, 256), (1, 512), (3, 1024)].map(|(grid, block)| Shape::grid(grid, block));
    same_in_rust(&REDUCE_STREAMING, &shapes, 0.05);
}

/// At planes that tiles do not divide, with atoms for one chunk and for several.
fn same_potentials(rung: &Rung) {
    let shape = Shape::block(rung.block);
    let sizes = [over_a_plane(1, (1, 1)), over_a_plane(33, (129, 7)), over_a_plane(513, (127, 65))];
    does_the_same(rung, &sizes, shape);
    takes_no_more_instructions(rung, &over_a_plane(1000, (256, 64)), shape, 0.05);
}

#[test]
fn tiles_of_points_do_the_same() {
    [&COULOMB_TILE, &COULOMB_SPLIT_ATOMS, &COULOMB_SOFTWARE_ROOT].into_iter().for_each(same_potentials);
}
