//! Every kernel of problem N with every kind of matrix, and launches that a check must not let pass.

use common::device::DeviceChoice;
use common::problem::sparse::{Buffers, MATRIX, Sparse};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use stage_tests::results::shapes;
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage09_patterns::STAGE;
use stage09_patterns::sparse::{
    SPARSE_FOUR_IN_FLIGHT, SPARSE_MERGE, SPARSE_ROW_PER_GROUP, SPARSE_ROW_PER_THREAD, SPARSE_ROW_PER_WARP,
    SPARSE_SEGMENTS, SPARSE_STREAMING, add_open, by_groups, by_rows, by_steps,
};
use std::process::Command;

/// Rows: one, fewer than a warp, and several blocks of each kernel.
const SIZES: [usize; 3] = [1, 9, 1025];
/// Of an awkward matrix, more empty rows in succession than a block takes.
const MORE: usize = 12_001;

/// Requires results for a matrix of a kind, of which the comparison must say that they passed or that they did not.
fn product(session: &mut Session, rung: &Rung, (n, kind): (usize, u32), shape: Shape, passes: bool) {
    let parameters = Parameters::default().with(MATRIX, kind);
    let plan = Plan::new(rung, Size { parameters, ..Size::new(n) }, shape).unwrap();
    let report = session.verify(&plan).unwrap();
    assert_eq!(report.passed(), passes, "{}, {n} rows of kind {kind}, {shape:?}: {report:?}", rung.kernel);
}

#[test]
fn products_are_right_for_empty_rows_a_row_of_all_columns_and_a_band() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for rung in STAGE.rungs.iter().filter(|rung| rung.work.facts().letter == "N") {
        let all = SIZES.into_iter().flat_map(|n| (0..4).map(move |kind| (n, kind)));
        for (n, kind) in all.chain([(MORE, 3)]) {
            product(&mut session, rung, (n, kind), Shape::block(rung.block), true);
        }
        shapes(rung).into_iter().for_each(|shape| product(&mut session, rung, (1025, 3), shape, true));
    }
}

// Wrong twins: launches that a check must not let pass.

fn with_one_less(buffers: &mut Buffers, launch: impl FnOnce(&mut Buffers) -> LaunchResult) -> LaunchResult {
    buffers.n -= 1;
    let result = launch(buffers);
    buffers.n += 1;
    result
}

fn one_row_less(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    with_one_less(buffers, |buffers| by_rows(launch, buffers))
}

fn one_row_less_by_groups(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    with_one_less(buffers, |buffers| by_groups(launch, buffers))
}

fn twice(launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
    add_open(launch, buffers)?;
    add_open(launch, buffers)
}

#[test]
fn wrong_products_fail_the_check() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for rung in [&SPARSE_ROW_PER_THREAD, &SPARSE_ROW_PER_WARP, &SPARSE_SEGMENTS] {
        let wrong = with_work(rung, Sparse { multiply: one_row_less, add: None });
        product(&mut session, &wrong, (1025, 0), Shape::block(128), false);
    }
    for rung in [&SPARSE_ROW_PER_GROUP, &SPARSE_FOUR_IN_FLIGHT, &SPARSE_STREAMING] {
        let wrong = with_work(rung, Sparse { multiply: one_row_less_by_groups, add: None });
        product(&mut session, &wrong, (1025, 0), Shape::block(128), false);
    }
    for add in [None, Some(twice as fn(&Launch, &mut Buffers) -> LaunchResult)] {
        let wrong = with_work(&SPARSE_MERGE, Sparse { multiply: by_steps, add });
        product(&mut session, &wrong, (1025, 0), Shape::block(128), false);
    }
}

#[test]
fn the_kind_is_part_of_the_size_and_has_a_range() {
    let run = |kind: &str| {
        let arguments = ["--device", "emulator", "--no-estimate", "--n", "1000", "--kernel", "sparseMerge"];
        Command::new(crate::PROGRAM).args(arguments).args(["--matrix", kind]).output().expect("the program starts")
    };
    let words = String::from_utf8(run("2").stdout).unwrap();
    assert!(words.contains("N  sparse matrix times vector, 1,000 rows, a band of 27 diagonals"), "{words}");
    let refused = run("4");
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && words.contains("4 is not in 0..=3"), "{words}");
}
