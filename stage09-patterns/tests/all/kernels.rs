//! Every kernel of the stage, on whichever device there is, at sizes around a warp and a block.

use common::device::DeviceChoice;
use common::problem::convolution::{self, Convolution, RADIUS};
use common::problem::heat::{Heat, Pass, RATE, STEPS};
use common::problem::histogram::{Buffers, Histogram, SKEW};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use cudarc::driver::PushKernelArg;
use stage_tests::results::{all_are_right, fails};
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage09_patterns::STAGE;
use stage09_patterns::histogram::launch as launch_right;
use std::process::Command;

/// Returns the rungs of a problem.
fn rungs_of(letter: &str) -> impl Iterator<Item = &'static Rung> {
    STAGE.rungs.iter().copied().filter(move |rung| rung.work.facts().letter == letter)
}

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    stage_tests::program::tables_are_complete(crate::PROGRAM, &STAGE);
}

#[test]
fn every_kernel_is_right_at_every_size_and_block() {
    all_are_right(&STAGE);
}

/// Requires results for 1025 bytes of a percentage that are equal, of which the comparison must say that they passed or that they did not.
fn histogram(rung: &Rung, equal: u32, passes: bool) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let parameters = Parameters::default().with(SKEW, equal);
    let plan = Plan::new(rung, Size { parameters, ..Size::new(1025) }, Shape::grid(3, 96)).unwrap();
    let report = session.verify(&plan).unwrap();
    assert_eq!(report.passed(), passes, "{}, {equal} % equal: {report:?}", rung.kernel);
}

#[test]
fn histograms_are_right_for_equal_bytes() {
    for rung in rungs_of("K") {
        [1, 50, 100].into_iter().for_each(|equal| histogram(rung, equal, true));
    }
}

// Wrong twins: launches that a check must not let pass.

fn one_byte_less(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    buffers.n -= 1;
    let result = launch_right(launch, buffers);
    buffers.n += 1;
    result
}

fn twice(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    launch_right(launch, buffers)?;
    launch_right(launch, buffers)
}

#[test]
fn wrong_histograms_fail_the_check() {
    for rung in rungs_of("K") {
        for launch in [one_byte_less, twice] {
            histogram(&with_work(rung, Histogram { launch }), 0, false);
        }
    }
}

#[test]
fn the_option_is_part_of_the_size_and_has_a_range() {
    let run = |skew: &str| {
        let arguments = ["--device", "emulator", "--no-estimate", "--n", "1000", "--kernel", "histogramShared"];
        Command::new(crate::PROGRAM).args(arguments).args(["--skew", skew]).output().expect("the program starts")
    };
    let words = String::from_utf8(run("75").stdout).unwrap();
    assert!(words.contains("K  histogram of bytes, 1,000 bytes, 75 % equal"), "{words}");
    let refused = run("101");
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && words.contains("101 is not in 0..=100"), "{words}");
}

/// Launches a kernel of problem M with another number of rows and columns, or another rate.
fn heat_with(launch: &Launch, Pass { input, output }: Pass, n: i32, rate: f32) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&input.words).arg(&mut output.words).arg(&n).arg(&input.pitch).arg(&rate);
    // SAFETY: as in the stage's launch function, with at most as many rows.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

fn heat_of_one_row_less(launch: &Launch, pass: Pass) -> LaunchResult {
    let n = pass.input.n - 1;
    heat_with(launch, pass, n, RATE)
}

fn heat_at_another_rate(launch: &Launch, pass: Pass) -> LaunchResult {
    let n = pass.input.n;
    heat_with(launch, pass, n, 0.201)
}

#[test]
fn wrong_steps_fail_the_check() {
    for rung in rungs_of("M") {
        let takes_two = rung.kernel == "heatTwoSteps";
        let steps = if takes_two { 2 } else { 1 };
        for launch in [heat_of_one_row_less, heat_at_another_rate] {
            fails(&with_work(rung, Heat { launch, steps }), rung.block);
        }
        // one step instead of two, or four
        let other = if takes_two { 1 } else { STEPS };
        fails(&with_work(rung, Heat { launch: stage09_patterns::heat::launch, steps: other }), rung.block);
    }
}

fn convolution_of_one_row_less(launch: &Launch, buffers: &mut convolution::Buffers) -> LaunchResult {
    buffers.input.n -= 1;
    let result = stage09_patterns::convolution::launch(launch, buffers);
    buffers.input.n += 1;
    result
}

fn turned_filter(launch: &Launch, buffers: &mut convolution::Buffers) -> LaunchResult {
    buffers.taps.reverse();
    let result = stage09_patterns::convolution::launch(launch, buffers);
    buffers.taps.reverse();
    result
}

#[test]
fn wrong_convolutions_fail_the_check() {
    for rung in rungs_of("O") {
        for launch in [convolution_of_one_row_less, turned_filter] {
            fails(&with_work(rung, Convolution { launch }), rung.block);
        }
    }
}

#[test]
fn small_filters_are_right_and_other_radii_are_refused() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for rung in rungs_of("O") {
        for n in [1, 33, 130] {
            let parameters = Parameters::default().with(RADIUS, 1);
            let plan = Plan::new(rung, Size { parameters, ..Size::new(n) }, Shape::block(rung.block)).unwrap();
            let report = session.verify(&plan).unwrap();
            assert!(report.passed(), "{}, n = {n}: {report:?}", rung.kernel);
        }
    }
    let refused = Command::new(crate::PROGRAM).args(["--kernel", "convolutionDirect", "--radius", "2"]).output();
    let words = String::from_utf8(refused.expect("the program starts").stderr).unwrap();
    assert!(words.contains("2 is not one of [3, 1]"), "{words}");
}
