//! The counts on the cards of problem K's kernels, compared with the emulator's.

use common::device::DeviceChoice;
use common::problem::histogram::{Bytes, SKEW};
use common::problem::{Inputs, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;
use stage_tests::counts::does_not_depend_on_threads;
use stage_tests::turn;
use stage09_patterns::STAGE;
use stage09_patterns::histogram::{
    HISTOGRAM_GLOBAL, HISTOGRAM_PER_BANK, HISTOGRAM_PER_WARP, HISTOGRAM_SHARED, HISTOGRAM_TWO_LOADS, HISTOGRAM_VECTOR,
};
use std::collections::BTreeSet;

/// Bytes: 32 rounds of a block, or two if each thread loads 16.
const N: u64 = 4096;
/// The warps of the block.
const WARPS: u64 = 4;
/// Additions of warps, and loads of 32 bytes.
const ADDITIONS: u64 = N / 32;
/// Accesses of full warps to as many words as there are bins.
const OF_BINS: u64 = 256 / 32;

fn bytes(n: u64, equal: u32) -> Size {
    Size { parameters: Parameters::default().with(SKEW, equal), ..Size::new(n as usize) }
}

/// Returns the counts of one block, with this percentage of equal bytes.
fn counts(rung: &Rung, equal: u32) -> Counters {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let plan = Plan::new(rung, bytes(N, equal), Shape::grid(1, 32 * WARPS as u32)).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

/// Returns the bank conflicts of an addition of each 32 neighboring bytes to bins in neighboring banks. Lanes with the same bin
/// are counted in one pass.
fn conflicts(equal: u32) -> u64 {
    let inputs = Bytes::new(&bytes(N, equal));
    let of_warp = |lanes: &[u8]| {
        let bins: BTreeSet<u8> = lanes.iter().copied().collect();
        let in_bank = |bank: u8| bins.iter().filter(|&&bin| bin % 32 == bank).count() as u64;
        (0..32).map(in_bank).max().unwrap_or(0) - 1
    };
    inputs.data.chunks(32).map(of_warp).sum()
}

#[test]
fn an_addition_in_global_memory_waits_for_those_of_equal_bytes() {
    let [random, equal] = [0, 100].map(|equal| counts(&HISTOGRAM_GLOBAL, equal));
    for count in [random, equal] {
        assert_eq!((count.global_load_requests, count.global_load_sectors), (ADDITIONS, ADDITIONS));
        assert_eq!((count.global_atomic_requests, count.shared_atomic_requests), (ADDITIONS, 0));
    }
    assert_eq!(equal.global_atomic_sectors, 32 * ADDITIONS);
    assert!(random.global_atomic_sectors > 16 * ADDITIONS, "{random:?}");
}

#[test]
fn a_block_adds_its_bins_to_the_others_once() {
    for equal in [0, 50, 100] {
        let [shared, per_warp] = [&HISTOGRAM_SHARED, &HISTOGRAM_PER_WARP].map(|rung| counts(rung, equal));
        for count in [shared, per_warp] {
            assert_eq!((count.global_load_requests, count.global_load_sectors), (ADDITIONS, ADDITIONS));
            assert_eq!((count.shared_atomic_requests, count.shared_atomic_conflicts), (ADDITIONS, conflicts(equal)));
            assert_eq!((count.global_atomic_requests, count.global_atomic_sectors), (OF_BINS, 4 * OF_BINS));
            assert_eq!(count.barriers, 2 * WARPS);
        }
        assert_eq!((shared.shared_store_requests, shared.shared_load_requests), (OF_BINS, OF_BINS));
        assert_eq!((per_warp.shared_store_requests, per_warp.shared_load_requests), (WARPS * OF_BINS, WARPS * OF_BINS));
    }
    assert!(conflicts(0) > 2 * ADDITIONS);
    assert_eq!(conflicts(100), 0);
}

#[test]
fn a_load_of_a_warp_brings_512_bytes() {
    let vector = counts(&HISTOGRAM_VECTOR, 100);
    assert_eq!((vector.global_load_requests, vector.global_load_sectors), (N / 512, N / 32));
    assert_eq!((vector.shared_atomic_requests, vector.shared_atomic_conflicts), (ADDITIONS, 0));
}

#[test]
fn copies_in_the_banks_of_the_lanes_have_no_conflicts() {
    for rung in [&HISTOGRAM_PER_BANK, &HISTOGRAM_TWO_LOADS] {
        for equal in [0, 50, 100] {
            let count = counts(rung, equal);
            assert_eq!((count.global_load_requests, count.global_load_sectors), (N / 512, N / 32));
            assert_eq!((count.shared_atomic_requests, count.shared_atomic_conflicts), (ADDITIONS, 0));
            // A word of each lane for each bin, which is written, and read in the end.
            assert_eq!((count.shared_store_requests, count.shared_load_requests), (32 * OF_BINS, 32 * OF_BINS));
            assert_eq!((count.shared_store_conflicts, count.shared_load_conflicts), (0, 0));
            assert_eq!((count.global_atomic_requests, count.global_atomic_sectors), (OF_BINS, 4 * OF_BINS));
        }
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn results_and_counts_do_not_depend_on_the_emulators_threads() {
    STAGE.rungs.iter().for_each(|rung| does_not_depend_on_threads(rung));
}
