//! The twins in Rust do what the kernels do.

use common::stage::{Rung, Shape};
use stage_tests::languages::{does_the_same, takes_no_more_instructions};
use stage_tests::planes::over_a_plane;
use stage05_coulomb::{
    COULOMB_COARSENED, COULOMB_COARSENED_COALESCED, COULOMB_CONSTANT, COULOMB_GATHER, COULOMB_SCATTER,
};

/// At planes that tiles do not divide, with these many atoms over the largest, and with atoms for two chunks; then
/// instructions, where the loops take most.
fn same_in_rust(rung: &Rung, atoms: usize, share: f64) {
    let shape = Shape::block(rung.block);
    let sizes = [over_a_plane(1, (1, 1)), over_a_plane(atoms, (129, 7)), over_a_plane(4100, (7, 5))];
    does_the_same(rung, &sizes, shape);
    takes_no_more_instructions(rung, &over_a_plane(1000, (256, 64)), shape, share);
}

#[test]
fn gather_does_the_same() {
    same_in_rust(&COULOMB_GATHER, 33, 0.05);
}

#[test]
fn scatter_does_the_same() {
    same_in_rust(&COULOMB_SCATTER, 33, 0.05);
}

#[test]
fn chunks_of_constant_memory_do_the_same() {
    same_in_rust(&COULOMB_CONSTANT, 33, 0.05);
    same_in_rust(&COULOMB_COARSENED, 33, 0.05);
    // Both compilers take two atoms a round. What is left of an odd number NVRTC sums with other fused multiply-adds than
    // the rounds before, for this kernel alone.
    same_in_rust(&COULOMB_COARSENED_COALESCED, 34, 0.05);
}
