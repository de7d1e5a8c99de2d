//! Problem I's kernels, with numbers of positions around their tiles, heads of both sizes, and with later keys left out.

use common::device::DeviceChoice;
use common::problem::attention::{Attention, Buffers};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use common::verify::Report;
use stage_tests::twins::with_work;
use stage_tests::{is_slow_run, turn};
use stage08_matmul::STAGE;
use stage08_matmul::attention::{ATTENTION_FUSED, fused};

/// Positions, the elements of a head, and whether later keys are left out.
type Case = (usize, u32, u32);

/// Runs each case once with two heads, and passes the comparison with the reference to `judge`.
fn run(rung: &Rung, cases: &[Case], judge: impl Fn(&str, Report)) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for &(n, size, causal) in cases {
        let heads = Parameters::default().with("heads", 2).with("head-size", size).with("causal", causal);
        let plan = Plan::new(rung, Size { parameters: heads, ..Size::new(n) }, Shape::block(rung.block)).unwrap();
        let what = format!("{} {}", rung.kernel, plan.describe_size());
        judge(&what, session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}")));
    }
}

fn passes(rung: &Rung, cases: &[Case]) {
    let judge = |what: &str, report: Report| {
        assert!(report.passed(), "{what}: {report:?}");
        assert_eq!(report.sample, None, "{what}: outputs were left out");
    };
    run(rung, cases, judge);
}

/// Around one and two tiles.
#[test]
fn heads_of_both_sizes_are_right_around_one_and_two_tiles() {
    let few: &[Case] = &[(65, 64, 0), (70, 64, 1), (7, 128, 1)];
    let many: Vec<Case> = [1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 257]
        .into_iter()
        .flat_map(|n| [(n, 64, 0), (n, 64, 1), (n, 128, 0), (n, 128, 1)])
        .collect();
    let rungs = STAGE.rungs.iter().filter(|rung| rung.work.facts().letter.starts_with('I'));
    for rung in rungs {
        passes(rung, if is_slow_run() { &many } else { few });
    }
}

// Wrong twins: launches that a check must not let pass.

fn with_one_position_less(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    data.n -= 1;
    let result = fused(launch, data);
    data.n += 1;
    result
}

fn with_later_keys(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    data.causal = 0;
    let result = fused(launch, data);
    data.causal = 1;
    result
}

fn with_queries_and_keys_exchanged(launch: &Launch, data: &mut Buffers) -> LaunchResult {
    std::mem::swap(&mut data.q, &mut data.k);
    let result = fused(launch, data);
    std::mem::swap(&mut data.q, &mut data.k);
    result
}

fn nothing_is_launched(_: &Launch, _: &mut Buffers) -> LaunchResult {
    Ok(())
}

#[test]
fn wrong_launches_fail_the_comparison() {
    for launch in [with_one_position_less, with_later_keys, with_queries_and_keys_exchanged, nothing_is_launched] {
        let judge = |what: &str, report: Report| assert!(!report.passed(), "{what}: {report:?}");
        run(&with_work(&ATTENTION_FUSED, Attention { launch }), &[(40, 64, 1)], judge);
    }
}
