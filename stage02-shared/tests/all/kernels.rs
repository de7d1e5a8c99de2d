//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use stage_tests::results::{all_are_right, one_less_is_noticed, sums_wrap_around};
use stage02_shared::STAGE;

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    stage_tests::program::tables_are_complete(crate::PROGRAM, &STAGE);
}

#[test]
fn every_kernel_is_right_at_every_size_and_block() {
    all_are_right(&STAGE);
}

#[test]
fn sums_of_both_signs_wrap_around() {
    sums_wrap_around(&STAGE);
}

#[test]
fn one_body_or_value_less_is_noticed() {
    one_less_is_noticed(&STAGE);
}
