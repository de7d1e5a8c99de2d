//! The twins in Rust do what the kernels do.

use common::stage::Shape;
use stage_tests::languages::same_in_rust;
use stage03_unroll::{
    COMPUTE_FORCES_TILING_UNROLL_64, COMPUTE_FORCES_UNROLL_1, COMPUTE_FORCES_UNROLL_16, COMPUTE_FORCES_UNROLL_64,
    COMPUTE_FORCES_UNROLL_FULL, NBODY_SIM_FLOAT4, NBODY_SIM_UNROLL, REDUCE_SMEM_UNROLL, REDUCE_SMEM_UNROLL_DYN,
};

#[test]
fn unrolled_loops_do_the_same() {
    for rung in [&COMPUTE_FORCES_UNROLL_1, &COMPUTE_FORCES_UNROLL_16, &COMPUTE_FORCES_UNROLL_FULL] {
        same_in_rust(rung, &[Shape::block(128)], 0.05);
    }
    same_in_rust(&COMPUTE_FORCES_UNROLL_64, &[32, 64, 128, 256, 512, 1024].map(Shape::block), 0.05);
    same_in_rust(&COMPUTE_FORCES_TILING_UNROLL_64, &[Shape::grid(16, 256), Shape::grid(3, 64)], 0.05);
}

#[test]
fn sums_of_four_do_the_same() {
    let shapes = [64, 128, 256, 512, 1024].map(Shape::block);
    same_in_rust(&REDUCE_SMEM_UNROLL, &shapes, 0.05);
    // Each level of the tree checks bounds, for the compiler does not know the block's size.
    same_in_rust(&REDUCE_SMEM_UNROLL_DYN, &shapes, 0.35);
}

#[test]
fn galaxies_do_the_same() {
    for rung in [&NBODY_SIM_UNROLL, &NBODY_SIM_FLOAT4] {
        same_in_rust(rung, &[Shape::block(256), Shape::block(100)], 0.05);
    }
}
