//! The costs on the emulator: correct results, no rates, and the circumstances that are stated.

use common::ceilings::bench::Bench;
use common::device::{Device, DeviceChoice};
use emulator::Counters;
use limits::costs::{Body, Cost, Point, measure, points};
use std::sync::Mutex;

/// A process has one emulator, which counts one launch at a time.
static TURN: Mutex<()> = Mutex::new(());

fn with_bench(act: impl FnOnce(&mut Bench<'_>)) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let device = Device::open(DeviceChoice::Emulator).expect("the emulator");
    act(&mut Bench::new(&device, 1));
}

/// Runs a point and returns its counts.
fn counters(bench: &mut Bench<'_>, point: &Point) -> Counters {
    measure(bench, point).expect("it runs");
    bench.device.last_counters().expect("counters").expect("an emulator")
}

fn named(kernel: &'static str) -> impl Iterator<Item = Point> {
    points().into_iter().filter(move |point| point.kernel == kernel)
}

fn is_long(point: &Point) -> bool {
    matches!(point.cost, Cost::Code { instructions: 2049.., .. })
}

fn require(point: &Point, bench: &mut Bench<'_>) {
    let measured = measure(bench, point).expect("it runs");
    assert!(measured.verified, "{} {}", measured.kernel, point.cost.circumstances());
    assert_eq!((measured.rate, measured.time_ms), (None, None), "{}", measured.kernel);
}

#[test]
fn every_cost_is_right_and_has_no_time() {
    with_bench(|bench| points().iter().filter(|point| !is_long(point)).for_each(|point| require(point, bench)));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn long_code_is_right_and_has_no_time() {
    with_bench(|bench| points().iter().filter(|point| is_long(point)).for_each(|point| require(point, bench)));
}

/// A kernel that does something else than the point states, so its results are wrong.
#[test]
fn a_wrong_result_is_noticed() {
    let others = [
        ("startEmpty", Cost::Start { body: Body::Reading, threads: 64 }),
        ("startReading", Cost::Start { body: Body::Tree, threads: 64 }),
        ("startTree", Cost::Start { body: Body::Empty, threads: 64 }),
        // Not whole reads of 16 bytes.
        ("streamConstant", Cost::ConstantStream { bytes: 1032, warps: 4 }),
        ("addSharedFloats", Cost::Atomic { addresses: 3, is_common: true }),
        ("addGlobalIntegers", Cost::Atomic { addresses: 3, is_common: false }),
        // Not a power of two, so that the kernel's stride is another.
        ("storeStrided", Cost::Store { stride: 1, bytes: 12 << 10 }),
    ];
    with_bench(|bench| {
        for (kernel, cost) in others {
            let point = Point { cost, ..named(kernel).next().expect("a point") };
            assert!(!measure(bench, &point).expect("it runs").verified, "{kernel}");
        }
    });
}

#[test]
fn a_strided_store_touches_as_many_sectors_as_stated() {
    with_bench(|bench| {
        for point in named("storeStrided") {
            let Cost::Store { stride, .. } = point.cost else { continue };
            let counters = counters(bench, &point);
            let sectors = u64::from((4 * stride).min(32));
            assert_eq!(counters.global_store_sectors, sectors * counters.global_store_requests, "{stride}");
        }
    });
}

#[test]
fn an_atomic_addition_is_one_request() {
    with_bench(|bench| {
        for point in named("addGlobalIntegers") {
            // 32 warps add twice.
            assert_eq!(counters(bench, &point).global_atomic_requests, 64, "{}", point.cost.circumstances());
        }
        for point in named("addSharedIntegers") {
            assert_eq!(counters(bench, &point).shared_atomic_requests, 64, "{}", point.cost.circumstances());
        }
    });
}

#[test]
fn straight_line_code_has_as_many_additions_as_stated() {
    with_bench(|bench| {
        for point in named("straightLine").filter(|point| !is_long(point)) {
            let Cost::Code { instructions, warps, .. } = point.cost else { continue };
            // Seven more add the chains.
            let additions = u64::from(instructions + 7) * u64::from(warps);
            assert_eq!(counters(bench, &point).classes.float, additions, "{instructions}");
        }
    });
}

#[test]
fn reads_of_the_cache_are_whole_requests() {
    with_bench(|bench| {
        for point in named("readCache") {
            let counters = counters(bench, &point);
            assert_eq!(counters.global_load_sectors, 16 * counters.global_load_requests);
        }
    });
}
