//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::stage::Shape;
use stage_tests::results::{fails_with_one_less, passes, sums_wrap_around};
use stage02_shared::SWEEP_OF_TREES;
use stage04_shuffle::{
    COMPUTE_FORCES_TILING_SHUFFLE, PERIODIC_SHUFFLE, REDUCE_SHUFFLE, REDUCE_SHUFFLE_TWO_LEVEL, STAGE,
};

#[test]
fn compute_forces_tiling_shuffle_is_right_with_more_and_fewer_threads_than_bodies() {
    let shapes = [(1, 32), (7, 64), (128, 128), (3, 256), (1, 512), (2, 1024)];
    passes(&COMPUTE_FORCES_TILING_SHUFFLE, &shapes.map(|(grid, block)| Shape::grid(grid, block)));
}

#[test]
fn periodic_shuffle_is_right_at_every_size_and_block() {
    passes(&PERIODIC_SHUFFLE, &[32, 64, 128, 256, 512, 1024].map(Shape::block));
}

#[test]
fn reductions_by_shuffles_are_right_at_every_size_and_block() {
    for rung in [&REDUCE_SHUFFLE, &REDUCE_SHUFFLE_TWO_LEVEL] {
        passes(rung, &SWEEP_OF_TREES);
        sums_wrap_around(rung, &SWEEP_OF_TREES);
    }
}

#[test]
fn one_body_or_value_less_is_noticed() {
    STAGE.rungs.iter().for_each(|rung| fails_with_one_less(rung));
}
