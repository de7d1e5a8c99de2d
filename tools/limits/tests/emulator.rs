//! The kernels on the emulator: correct results and no rates.

use common::ceilings::Quantity;
use common::ceilings::bench::{Bench, MEASUREMENTS, Measurement, Method};
use common::device::{Device, DeviceChoice};
use limits::latency::{self, points};
use std::sync::Mutex;

/// A process has one emulator, which counts one launch at a time.
static TURN: Mutex<()> = Mutex::new(());

fn with_bench(act: impl FnOnce(&mut Bench<'_>)) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let device = Device::open(DeviceChoice::Emulator).expect("the emulator");
    act(&mut Bench::new(&device, 1));
}

#[test]
fn results_are_right_and_no_rate_is_shown() {
    with_bench(|bench| {
        for measurement in &MEASUREMENTS {
            let measured = bench.measure(measurement).expect("it runs");
            assert!(measured.verified, "{}", measured.kernel);
            assert_eq!((measured.rate, measured.clock_hz), (None, None), "{}", measured.kernel);
        }
    });
}

#[test]
fn a_wrong_result_is_noticed() {
    with_bench(|bench| {
        for measurement in &MEASUREMENTS {
            let Method::Arithmetic(mut arithmetic) = measurement.method else { continue };
            arithmetic.expected = |_| 7.999;
            let other = Measurement { method: Method::Arithmetic(arithmetic), ..*measurement };
            assert!(!bench.measure(&other).expect("it runs").verified, "{}", measurement.kernel);
        }
    });
}

/// Bytes that a warp loads from shared memory with 16 bytes per lane.
const BYTES_OF_A_WIDE_LOAD: u32 = 512;

/// The instructions per iteration, by which rates are computed, are those that the emulator counts.
#[test]
fn instructions_of_a_turn_are_as_stated() {
    with_bench(|bench| {
        for measurement in &MEASUREMENTS {
            let Method::Arithmetic(arithmetic) = measurement.method else { continue };
            bench.measure(measurement).expect("it runs");
            let counters = bench.device.last_counters().expect("counters").expect("an emulator");
            let classes = counters.classes;
            let counted = match measurement.kernel {
                "fmaRate" | "registerRate" => classes.float,
                "issueRate" => classes.float + classes.integer,
                "tensorRate" | "tensorBf16Rate" => classes.matrix,
                "warpgroupRate" => counters.warpgroup_operations,
                "sharedRate" => classes.memory,
                "sharedWideRate" => classes.memory,
                "shuffleRate" => classes.exchange,
                _ => classes.special,
            };
            let warps = 2 * 256 / 32;
            let each = counted as f64 / f64::from(warps);
            let of_an_instruction = if measurement.limit == Quantity::Shared { BYTES_OF_A_WIDE_LOAD } else { 1 };
            let stated = f64::from(arithmetic.per_turn / of_an_instruction);
            // the rest: the sum at the end, addresses, and the rows of shared memory
            let rest = each - stated;
            assert!((0.0..60.0).contains(&rest), "{}: {each} of {stated}", measurement.kernel);
        }
    });
}

#[test]
fn every_point_of_latency_is_right_and_has_no_time() {
    with_bench(|bench| {
        for point in points() {
            let measured = latency::measure(bench, &point).expect("it runs");
            assert!(measured.verified, "{} {} {}", measured.kernel, measured.independent, measured.warps);
            assert_eq!(measured.value, None, "{}", measured.kernel);
        }
    });
}

#[test]
fn a_point_of_another_number_of_chains_is_wrong() {
    with_bench(|bench| {
        for mut point in points() {
            if point.quantity == latency::Quantity::Issue {
                point.independent += 1;
                assert!(!latency::measure(bench, &point).expect("it runs").verified, "{}", point.kernel);
            }
        }
    });
}

/// The size of a request, by which the bytes in flight are computed.
#[test]
fn a_warp_asks_for_512_bytes_at_a_time() {
    with_bench(|bench| {
        let reads = points().into_iter().filter(|point| point.quantity == latency::Quantity::Read);
        for point in reads {
            latency::measure(bench, &point).expect("it runs");
            let counters = bench.device.last_counters().expect("counters").expect("an emulator");
            assert_eq!(counters.global_load_sectors, 16 * counters.global_load_requests, "{}", point.kernel);
        }
    });
}
