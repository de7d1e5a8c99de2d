//! The twins in Rust do what the kernels do.

use common::stage::Shape;
use stage_tests::languages::same_in_rust;
use stage04_shuffle::{COMPUTE_FORCES_TILING_SHUFFLE, PERIODIC_SHUFFLE, REDUCE_SHUFFLE, REDUCE_SHUFFLE_TWO_LEVEL};

#[test]
fn sources_in_registers_do_the_same() {
    same_in_rust(&COMPUTE_FORCES_TILING_SHUFFLE, &[Shape::grid(16, 256), Shape::grid(3, 64)], 0.05);
    same_in_rust(&PERIODIC_SHUFFLE, &[Shape::block(256), Shape::block(32)], 0.05);
}

#[test]
fn sums_by_shuffles_do_the_same() {
    for rung in [&REDUCE_SHUFFLE, &REDUCE_SHUFFLE_TWO_LEVEL] {
        same_in_rust(rung, &[64, 128, 256, 512, 1024].map(Shape::block), 0.05);
    }
}
