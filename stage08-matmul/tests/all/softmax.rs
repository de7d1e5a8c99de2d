//! Problem H's kernels, with rows of many lengths.

use common::device::DeviceChoice;
use common::problem::softmax::{Buffers, Softmax};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use common::verify::Report;
use stage_tests::twins::with_work;
use stage_tests::{is_slow_run, turn};
use stage08_matmul::softmax::{SOFTMAX_ONLINE, SOFTMAX_PREFETCH, SOFTMAX_REGISTERS, SOFTMAX_THREE_PASSES, plain};

/// Runs each number of rows and of columns once, and passes the comparison with the reference to `judge`.
fn run(rung: &Rung, shape: Shape, sizes: &[(usize, u32)], judge: impl Fn(&str, Report)) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for &(n, columns) in sizes {
        let size = Size { parameters: Parameters::default().with("width", columns), ..Size::new(n) };
        let plan = Plan::new(rung, size, shape).unwrap();
        let what = format!("{} {n} x {columns}, {} blocks of {}", rung.kernel, plan.grid, plan.block);
        judge(&what, session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}")));
    }
}

fn passes(rung: &Rung, shape: Shape, sizes: &[(usize, u32)]) {
    let judge = |what: &str, report: Report| {
        assert!(report.passed(), "{what}: {report:?}");
        assert_eq!(report.sample, None, "{what}: elements were left out");
    };
    run(rung, shape, sizes, judge);
}

#[test]
fn a_block_a_row_is_right_in_blocks_of_any_number_of_warps() {
    for rung in [&SOFTMAX_THREE_PASSES, &SOFTMAX_ONLINE] {
        for block in [32, 96, 1024] {
            passes(rung, Shape::block(block), &[(5, 1), (4, 31), (4, 97), (4, 1025)]);
        }
    }
}

/// Around one, two and all warps of a block per row, and around a block's rows.
#[test]
fn rows_in_registers_are_right_around_each_number_of_warps() {
    let few: &[(usize, u32)] = &[(33, 3), (3, 1025)];
    let many: &[(usize, u32)] =
        &[(1, 1), (31, 31), (33, 4), (5, 1024), (17, 1025), (9, 2048), (3, 2049), (3, 16_385), (2, 32_768)];
    let sizes = if is_slow_run() { many } else { few };
    passes(&SOFTMAX_REGISTERS, Shape::block(1024), sizes);
    for grid in [1, 2] {
        passes(&SOFTMAX_PREFETCH, Shape::grid(grid, 1024), sizes);
    }
}

// Wrong twins: launches that a check must not let pass.

fn with_one_row_less(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    let mut config = launch.config;
    config.grid_dim.0 -= 1;
    plain(&Launch { config, ..*launch }, data)
}

fn with_one_column_less(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    data.columns -= 1;
    let result = plain(launch, data);
    data.columns += 1;
    result
}

fn nothing_is_launched(_: &Launch, _: &mut Buffers) -> LaunchResult {
    Ok(())
}

#[test]
fn wrong_launches_fail_the_comparison() {
    for launch in [with_one_row_less, with_one_column_less, nothing_is_launched] {
        let judge = |what: &str, report: Report| assert!(!report.passed(), "{what}: {report:?}");
        run(&with_work(&SOFTMAX_ONLINE, Softmax { launch }), Shape::block(128), &[(4, 65)], judge);
    }
}
