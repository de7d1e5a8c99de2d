//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::stage::Shape;
use stage_tests::results::{fails_with_one_less, passes, passes_in_blocks_of_one_thread, sums_wrap_around};
use stage02_shared::{
    COMPUTE_FORCES_SHARED, COMPUTE_FORCES_TILING_SHARED, NBODY_SIM, PERIODIC_SHARED_COALESCED, PERIODIC_SHARED_STRIDED,
    REDUCE_SMEM, STAGE, SWEEP_OF_TREES, TRANSPOSE_DIRECT, TRANSPOSE_PADDED, TRANSPOSE_TILE,
};

#[test]
fn compute_forces_shared_is_right_at_every_size_and_block() {
    passes(&COMPUTE_FORCES_SHARED, &[32, 64, 128, 256, 512, 1024].map(Shape::block));
}

#[test]
fn compute_forces_tiling_shared_is_right_with_more_and_fewer_threads_than_bodies() {
    let shapes = [(1, 32), (7, 64), (3, 128), (64, 256), (1, 512), (2, 1024)];
    passes(&COMPUTE_FORCES_TILING_SHARED, &shapes.map(|(grid, block)| Shape::grid(grid, block)));
}

#[test]
fn periodic_shared_kernels_are_right_at_every_size() {
    passes(&PERIODIC_SHARED_STRIDED, &[Shape::block(256)]);
    passes(&PERIODIC_SHARED_COALESCED, &[Shape::block(256)]);
}

#[test]
fn reduce_smem_is_right_at_every_size_and_block() {
    passes(&REDUCE_SMEM, &SWEEP_OF_TREES);
    sums_wrap_around(&REDUCE_SMEM, &SWEEP_OF_TREES);
}

#[test]
fn nbody_sim_is_right_at_every_size_in_blocks_of_any_size() {
    passes(&NBODY_SIM, &[96, 100, 128, 1024].map(Shape::block));
    passes_in_blocks_of_one_thread(&NBODY_SIM);
}

#[test]
fn transposes_are_right_at_every_size() {
    for rung in [&TRANSPOSE_DIRECT, &TRANSPOSE_TILE, &TRANSPOSE_PADDED] {
        passes(rung, &[Shape::block(256)]);
    }
}

#[test]
fn one_body_or_value_less_is_noticed() {
    STAGE.rungs.iter().for_each(|rung| fails_with_one_less(rung));
}
