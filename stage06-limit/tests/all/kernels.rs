//! Every kernel of the stage, on whichever device there is, at sizes around a warp, a tile and a block.

use common::stage::Shape;
use common::verify::Report;
use stage_tests::planes;
use stage_tests::results::{all_are_right, run};
use stage06_limit::{FORCES_TENSOR_CORES, REDUCE_ASYNC_COPY, REDUCE_BULK_COPY, STAGE};

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    stage_tests::program::tables_are_complete(crate::PROGRAM, &STAGE);
}

#[test]
fn every_kernel_is_right_at_every_size_and_block() {
    all_are_right(&STAGE);
}

#[test]
fn potentials_are_right_at_every_size() {
    planes::all_are_right(&STAGE);
}

fn require_passed(what: &str, report: Report) {
    assert!(report.passed(), "{what}: {report:?}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn forces_by_tensor_cores_are_right_at_larger_sizes() {
    run(&FORCES_TENSOR_CORES, &[2049, 4096], &[Shape::block(128)], require_passed);
}

#[test]
fn sums_of_asynchronous_copies_are_right_around_chunks() {
    let around_chunks = [4095, 4096, 4097, 5 * 4096, 40_000];
    for rung in [&REDUCE_ASYNC_COPY, &REDUCE_BULK_COPY] {
        run(rung, &around_chunks, &[1, 2, 7].map(|grid| Shape::grid(grid, 256)), require_passed);
    }
}
