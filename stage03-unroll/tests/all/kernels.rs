//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::stage::Shape;
use stage_tests::results::{fails_with_one_less, passes, passes_in_blocks_of_one_thread, sums_wrap_around};
use stage02_shared::SWEEP_OF_TREES;
use stage03_unroll::{
    COMPUTE_FORCES_TILING_UNROLL_64, COMPUTE_FORCES_UNROLL_1, COMPUTE_FORCES_UNROLL_16, COMPUTE_FORCES_UNROLL_64,
    COMPUTE_FORCES_UNROLL_FULL, NBODY_SIM_FLOAT4, NBODY_SIM_UNROLL, REDUCE_SMEM_UNROLL, REDUCE_SMEM_UNROLL_DYN, STAGE,
};

#[test]
fn unrolled_tile_loops_are_right_at_every_size() {
    for rung in [&COMPUTE_FORCES_UNROLL_1, &COMPUTE_FORCES_UNROLL_16, &COMPUTE_FORCES_UNROLL_FULL] {
        passes(rung, &[Shape::block(128)]);
    }
}

#[test]
fn tile_loops_unrolled_by_64_are_right_at_every_size_and_block() {
    passes(&COMPUTE_FORCES_UNROLL_64, &[32, 64, 128, 256, 512, 1024].map(Shape::block));
    let shapes = [(1, 32), (7, 64), (3, 128), (64, 256), (1, 512), (2, 1024)];
    passes(&COMPUTE_FORCES_TILING_UNROLL_64, &shapes.map(|(grid, block)| Shape::grid(grid, block)));
}

#[test]
fn reductions_of_four_elements_a_thread_are_right_at_every_size_and_block() {
    for rung in [&REDUCE_SMEM_UNROLL, &REDUCE_SMEM_UNROLL_DYN] {
        passes(rung, &SWEEP_OF_TREES);
        sums_wrap_around(rung, &SWEEP_OF_TREES);
    }
}

/// Four does not divide all of these blocks.
#[test]
fn unrolled_steps_are_right_at_every_size_in_blocks_of_any_size() {
    for rung in [&NBODY_SIM_UNROLL, &NBODY_SIM_FLOAT4] {
        passes(rung, &[30, 97, 128, 1024].map(Shape::block));
        passes_in_blocks_of_one_thread(rung);
    }
}

#[test]
fn one_body_or_value_less_is_noticed() {
    STAGE.rungs.iter().for_each(|rung| fails_with_one_less(rung));
}
