//! The kernels of problems L and P at sizes around a tile, for keys in several orders, and with launches that a check must not let pass.

use common::device::DeviceChoice;
use common::problem::histogram::SKEW;
use common::problem::sort::{Buffers, Sort};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use stage_tests::results::run;
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage09_patterns::sort::{
    Counted, KEYS_EACH, SORT_DIGITS, SORT_LOCAL, SORT_ONE_SWEEP, SORT_PAIRS, SORT_SPLIT, Swept, SweptPairs, count,
    histograms, histograms_of_pairs, pass, sweep, sweep_pairs,
};

const RUNGS: [&Rung; 5] = [&SORT_SPLIT, &SORT_DIGITS, &SORT_LOCAL, &SORT_ONE_SWEEP, &SORT_PAIRS];

/// Returns the keys of a tile.
fn tile(rung: &Rung) -> usize {
    let is_swept = [SORT_ONE_SWEEP.kernel, SORT_PAIRS.kernel].contains(&rung.kernel);
    rung.block as usize * if is_swept { KEYS_EACH as usize } else { 16 }
}

#[test]
fn tiles_may_be_full_and_lack_or_exceed_one_key() {
    for rung in RUNGS {
        let sizes = [tile(rung) - 1, tile(rung), tile(rung) + 1, 2 * tile(rung) + 31];
        run(rung, &sizes, &[Shape::block(rung.block)], |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}

#[test]
fn equal_keys_are_sorted() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for rung in RUNGS {
        for equal in [50, 100] {
            let parameters = Parameters::default().with(SKEW, equal);
            let size = Size { parameters, ..Size::new(tile(rung) + 1) };
            let report = session.verify(&Plan::new(rung, size, Shape::block(rung.block)).unwrap()).unwrap();
            assert!(report.passed(), "{}, {equal} % equal: {report:?}", rung.kernel);
        }
    }
}

/// Puts the keys of the input into an order, which changes no result.
fn arrange(launch: &Launch, buffers: &mut Buffers, is_descending: bool) -> LaunchResult {
    let mut keys = launch.stream.clone_dtoh(&buffers.keys)?;
    keys.sort_unstable_by_key(|key| key.cast_unsigned());
    if is_descending {
        keys.reverse();
    }
    launch.stream.memcpy_htod(&keys, &mut buffers.keys)
}

fn count_arranged<const BITS: u32, const IS_DESCENDING: bool>(
    launch: &Launch,
    data: &mut Counted<BITS>,
    pass: u32,
) -> LaunchResult {
    if pass == 0 {
        arrange(launch, &mut data.keys, IS_DESCENDING)?;
    }
    count(launch, data, pass)
}

fn histograms_arranged<const IS_DESCENDING: bool>(launch: &Launch, data: &mut Swept, pass: u32) -> LaunchResult {
    arrange(launch, &mut data.keys, IS_DESCENDING)?;
    histograms(launch, data, pass)
}

#[test]
fn sorted_keys_stay_and_descending_ones_are_turned_round() {
    let bits = Sort { passes: 32, count: count_arranged::<1, false>, counts_once: false, pass: pass::<1> };
    let digits = Sort { passes: 8, count: count_arranged::<4, false>, counts_once: false, pass: pass::<4> };
    let swept = Sort { passes: 4, count: histograms_arranged::<false>, counts_once: true, pass: sweep };
    let twins = [
        with_work(&SORT_SPLIT, Sort { count: count_arranged::<1, true>, ..bits }),
        with_work(&SORT_SPLIT, bits),
        with_work(&SORT_LOCAL, Sort { count: count_arranged::<4, true>, ..digits }),
        with_work(&SORT_DIGITS, digits),
        with_work(&SORT_ONE_SWEEP, Sort { count: histograms_arranged::<true>, ..swept }),
        with_work(&SORT_ONE_SWEEP, swept),
    ];
    for rung in twins {
        let sizes = [2 * tile(&rung) + 5];
        run(&rung, &sizes, &[Shape::block(rung.block)], |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}

// Wrong twins: runs that a check must not let pass.

/// Launches with one key less.
fn of_one_less<L>(
    data: &mut L,
    keys: fn(&mut L) -> &mut Buffers,
    launch: impl FnOnce(&mut L) -> LaunchResult,
) -> LaunchResult {
    keys(data).n -= 1;
    let result = launch(data);
    keys(data).n += 1;
    result
}

fn pass_of_one_less<const BITS: u32>(launch: &Launch, data: &mut Counted<BITS>, index: u32) -> LaunchResult {
    of_one_less(data, |data| &mut data.keys, |data| pass(launch, data, index))
}

fn sweep_of_one_less(launch: &Launch, data: &mut Swept, index: u32) -> LaunchResult {
    of_one_less(data, |data| &mut data.keys, |data| sweep(launch, data, index))
}

fn sweep_of_one_pair_less(launch: &Launch, data: &mut SweptPairs, index: u32) -> LaunchResult {
    of_one_less(data, |data| &mut data.keys.keys, |data| sweep_pairs(launch, data, index))
}

/// The values stay where they are in the last pass.
fn keys_alone_at_last(launch: &Launch, data: &mut SweptPairs, index: u32) -> LaunchResult {
    sweep_pairs(launch, data, index)?;
    if index < 3 {
        return Ok(());
    }
    let (before, after) = data.values.of_pass(index);
    launch.stream.memcpy_dtod(before, after)
}

#[test]
fn wrong_sorts_fail_the_check() {
    let bits = Sort { passes: 32, count: count::<1>, counts_once: false, pass: pass::<1> };
    let digits = Sort { passes: 8, count: count::<4>, counts_once: false, pass: pass::<4> };
    let swept = Sort { passes: 4, count: histograms, counts_once: true, pass: sweep };
    let pairs = Sort { passes: 4, count: histograms_of_pairs, counts_once: true, pass: sweep_pairs };
    let twins = [
        with_work(&SORT_PAIRS, Sort { passes: 2, ..pairs }),
        with_work(&SORT_PAIRS, Sort { pass: sweep_of_one_pair_less, ..pairs }),
        with_work(&SORT_PAIRS, Sort { pass: keys_alone_at_last, ..pairs }),
        with_work(&SORT_SPLIT, Sort { passes: 30, ..bits }),
        with_work(&SORT_SPLIT, Sort { pass: pass_of_one_less::<1>, ..bits }),
        with_work(&SORT_DIGITS, Sort { passes: 6, ..digits }),
        with_work(&SORT_DIGITS, Sort { pass: pass_of_one_less::<4>, ..digits }),
        with_work(&SORT_LOCAL, Sort { passes: 6, ..digits }),
        with_work(&SORT_LOCAL, Sort { pass: pass_of_one_less::<4>, ..digits }),
        with_work(&SORT_ONE_SWEEP, Sort { passes: 2, ..swept }),
        with_work(&SORT_ONE_SWEEP, Sort { pass: sweep_of_one_less, ..swept }),
    ];
    for rung in twins {
        let shapes = [Shape::block(rung.block)];
        run(&rung, &[33, 1025], &shapes, |what, report| assert!(!report.passed(), "{what}: {report:?}"));
    }
}
