//! The twins in Rust do what the kernels do.

use common::problem::Size;
use common::stage::Shape;
use stage_tests::languages::{does_the_same, same_in_rust, takes_no_more_instructions};
use stage02_shared::{
    COMPUTE_FORCES_SHARED, COMPUTE_FORCES_TILING_SHARED, NBODY_SIM, PERIODIC_SHARED_COALESCED, PERIODIC_SHARED_STRIDED,
    REDUCE_SMEM, TRANSPOSE_DIRECT, TRANSPOSE_PADDED, TRANSPOSE_TILE,
};

#[test]
fn tiles_of_bodies_do_the_same() {
    same_in_rust(&COMPUTE_FORCES_SHARED, &[32, 64, 128, 256, 512, 1024].map(Shape::block), 0.05);
    same_in_rust(&COMPUTE_FORCES_TILING_SHARED, &[Shape::grid(16, 256), Shape::grid(3, 64)], 0.05);
}

#[test]
fn chunks_of_positions_do_the_same() {
    for rung in [&PERIODIC_SHARED_STRIDED, &PERIODIC_SHARED_COALESCED] {
        same_in_rust(rung, &[Shape::block(256)], 0.05);
    }
}

#[test]
fn a_tree_in_shared_memory_does_the_same() {
    same_in_rust(&REDUCE_SMEM, &[64, 128, 256, 512, 1024].map(Shape::block), 0.05);
}

#[test]
fn tiles_of_dynamic_shared_memory_do_the_same() {
    // A loop that is not unrolled counts in 64 bits and compares in 32: two conversions more in each round.
    same_in_rust(&NBODY_SIM, &[Shape::block(256), Shape::block(100)], 0.08);
}

#[test]
fn transposes_do_the_same() {
    // Places count in 32 bits without a sign, and may wrap around: each word has an address of its own, where in CUDA C++
    // four have one, with known distances.
    for rung in [&TRANSPOSE_DIRECT, &TRANSPOSE_TILE, &TRANSPOSE_PADDED] {
        does_the_same(rung, &[1, 33, 130].map(Size::new), Shape::block(256));
        takes_no_more_instructions(rung, &Size::new(256), Shape::block(256), 0.25);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn transposes_do_the_same_at_every_size() {
    for rung in [&TRANSPOSE_DIRECT, &TRANSPOSE_TILE, &TRANSPOSE_PADDED] {
        same_in_rust(rung, &[Shape::block(256)], 0.25);
    }
}
