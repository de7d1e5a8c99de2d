//! The twins in Rust do what the kernels do.

use common::stage::Shape;
use stage_tests::languages::same_in_rust;
use stage01_naive::{COMPUTE_FORCES, COMPUTE_FORCES_TILING, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM};

#[test]
fn kernels_in_blocks_of_any_size_do_the_same() {
    for rung in [&COMPUTE_FORCES, &PERIODIC_GLOBAL, &NBODY_SIM_NOTILE] {
        same_in_rust(rung, &[Shape::block(128), Shape::block(100)], 0.05);
    }
}

#[test]
fn a_loop_over_the_grid_does_the_same() {
    same_in_rust(&COMPUTE_FORCES_TILING, &[Shape::grid(16, 256), Shape::grid(3, 100)], 0.05);
}

#[test]
fn a_tree_in_global_memory_does_the_same() {
    same_in_rust(&REDUCE_GMEM, &[Shape::block(128), Shape::block(32)], 0.05);
}
