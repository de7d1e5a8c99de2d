//! Every kernel of the stage, on whichever device there is, at sizes around its tiles.

use common::problem::matmul::{Bf16, Buffers, Matmul, Padded, Stored};
use common::problem::{Launch, LaunchResult};
use common::stage::{Rung, Shape};
use common::verify::Report;
use stage_tests::is_slow_run;
use stage_tests::results::run;
use stage_tests::twins::with_work;
use stage08_matmul::{
    MATMUL_COALESCED, MATMUL_NAIVE, MATMUL_REGISTER_COLUMN, MATMUL_REGISTER_TILE, MATMUL_TALL_TILE, MATMUL_TENSOR,
    MATMUL_TENSOR_WIDE_TILE, MATMUL_TILE, STAGE, launch,
};

fn passes(rung: &Rung, sizes: &[usize]) {
    let judge = |what: &str, report: Report| {
        assert!(report.passed(), "{what}: {report:?}");
        assert_eq!(report.sample, None, "{what}: elements were left out");
    };
    run(rung, sizes, &[Shape::block(rung.block)], judge);
}

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    stage_tests::program::tables_are_complete(crate::PROGRAM, &STAGE);
}

#[test]
fn products_without_tiles_are_right_in_blocks_of_any_number_of_warps() {
    let judge = |what: &str, report: Report| assert!(report.passed(), "{what}: {report:?}");
    for rung in [&MATMUL_NAIVE, &MATMUL_COALESCED] {
        run(rung, &[1, 31, 32, 33, 65], &[32, 96, 256, 1024].map(Shape::block), judge);
    }
}

#[test]
fn products_of_small_tiles_are_right_around_one_and_two_tiles() {
    for rung in [&MATMUL_TILE, &MATMUL_REGISTER_COLUMN] {
        passes(rung, if is_slow_run() { &[1, 31, 32, 33, 63, 64, 65, 100] } else { &[31, 65] });
    }
}

#[test]
fn products_of_large_tiles_are_right_around_one_and_two_tiles() {
    passes(&MATMUL_REGISTER_TILE, if is_slow_run() { &[1, 7, 127, 128, 129] } else { &[7, 129] });
    for rung in of_problem("G").skip_while(|rung| rung.kernel != "matmulVector") {
        passes(rung, if is_slow_run() { &[1, 127, 128, 129, 256, 257] } else { &[129] });
    }
}

#[test]
fn products_of_tensor_cores_are_right_around_one_and_two_tiles() {
    for rung in of_problem("G16") {
        passes(rung, if is_slow_run() { &[1, 127, 128, 129, 255, 256, 257, 513] } else { &[129] });
    }
}

/// Returns the stage's kernels of a problem.
fn of_problem(letter: &str) -> impl Iterator<Item = &'static Rung> {
    STAGE.rungs.iter().copied().filter(move |rung| rung.work.facts().letter == letter)
}

// Wrong twins: launches that a check must not let pass.

fn with_one_row_less(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    data.n -= 1;
    let result = launch::plain(launch, data);
    data.n += 1;
    result
}

/// The factors change places: matrices do not commute.
fn with_factors_exchanged<P: Stored>(
    product: fn(&Launch, &mut Buffers<P>) -> LaunchResult,
    launch: &Launch,
    data: &mut Buffers<P>,
) -> LaunchResult {
    std::mem::swap(&mut data.a, &mut data.b);
    let result = product(launch, data);
    std::mem::swap(&mut data.a, &mut data.b);
    result
}

fn plain_with_factors_exchanged(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    with_factors_exchanged(launch::plain, launch, data)
}

fn padded_with_factors_exchanged(launch: &Launch, data: &mut Padded) -> LaunchResult {
    with_factors_exchanged(launch::plain, launch, &mut data.buffers)
}

fn tensor_with_factors_exchanged<const SIDE: usize>(launch: &Launch, data: &mut Padded<Bf16, SIDE>) -> LaunchResult {
    with_factors_exchanged(launch::product, launch, &mut data.buffers)
}

fn nothing_is_launched(_: &Launch, _: &mut Buffers) -> LaunchResult {
    Ok(())
}

fn fails(rung: &Rung) {
    let judge = |what: &str, report: Report| assert!(!report.passed(), "{what}: {report:?}");
    run(rung, &[65], &[Shape::block(rung.block)], judge);
}

#[test]
fn wrong_launches_fail_the_comparison() {
    for launch in [with_one_row_less, plain_with_factors_exchanged, nothing_is_launched] {
        fails(&with_work(&MATMUL_TILE, Matmul { launch }));
    }
    fails(&with_work(&MATMUL_TALL_TILE, Matmul { launch: padded_with_factors_exchanged }));
    fails(&with_work(&MATMUL_TENSOR, Matmul { launch: tensor_with_factors_exchanged::<128> }));
    fails(&with_work(&MATMUL_TENSOR_WIDE_TILE, Matmul { launch: tensor_with_factors_exchanged::<256> }));
}
