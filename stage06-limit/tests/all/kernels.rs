//! Every kernel of the stage, on whichever device there is, at sizes around a warp, a tile and a block.

use common::stage::Shape;
use stage_tests::results::{fails_with_one_less, passes, ptx_is_of_the_sources};
use stage06_limit::{
    FORCES_FAST_ROOT, FORCES_FLOAT4, FORCES_REGISTER_TILE, FORCES_SPLIT_SOURCES, FORCES_THIRD_LAW,
    FORCES_THIRD_LAW_SHARED, STAGE,
};

#[test]
fn forces_are_right_at_every_size_and_block() {
    for rung in [&FORCES_FLOAT4, &FORCES_REGISTER_TILE, &FORCES_SPLIT_SOURCES, &FORCES_FAST_ROOT] {
        passes(rung, &[64, 128, 256, 512].map(Shape::block));
    }
}

#[test]
fn forces_by_the_third_law_are_right_at_every_size_and_block() {
    for rung in [&FORCES_THIRD_LAW, &FORCES_THIRD_LAW_SHARED] {
        passes(rung, &[32, 64, 128, 256].map(Shape::block));
    }
}

#[test]
fn every_rung_of_the_stage_has_its_prebuilt_ptx() {
    ptx_is_of_the_sources(STAGE.rungs);
}

#[test]
fn one_body_or_value_less_is_noticed() {
    STAGE.rungs.iter().for_each(|rung| fails_with_one_less(rung));
}
