//! The kernels on the emulator: correct results, and no rates.

use common::device::{Device, DeviceChoice};
use limits::{Bench, MEASUREMENTS, Measurement, Method};
use std::sync::Mutex;

/// A process has one emulator, which counts one launch at a time.
static TURN: Mutex<()> = Mutex::new(());

fn bench() -> Bench {
    Bench::new(Device::open(DeviceChoice::Emulator).expect("the emulator"), 1)
}

#[test]
fn results_are_right_and_no_rate_is_shown() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut bench = bench();
    for measurement in &MEASUREMENTS {
        let measured = bench.measure(measurement).expect("it runs");
        assert!(measured.verified, "{}", measured.kernel);
        assert_eq!((measured.rate, measured.clock_hz), (None, None), "{}", measured.kernel);
    }
}

#[test]
fn a_wrong_result_is_noticed() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut bench = bench();
    for measurement in &MEASUREMENTS {
        let Method::Arithmetic(mut arithmetic) = measurement.method else { continue };
        arithmetic.expected = |_| 7.999;
        let other = Measurement { method: Method::Arithmetic(arithmetic), ..*measurement };
        assert!(!bench.measure(&other).expect("it runs").verified, "{}", measurement.kernel);
    }
}

/// What the rates are divided by: instructions of a turn, as the emulator counts them with two turns and with one.
#[test]
fn instructions_of_a_turn_are_as_stated() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut bench = bench();
    for measurement in &MEASUREMENTS {
        let Method::Arithmetic(arithmetic) = measurement.method else { continue };
        bench.measure(measurement).expect("it runs");
        let classes = bench.device.last_counters().expect("counters").expect("an emulator").classes;
        let counted = match measurement.kernel {
            "fmaRate" | "registerRate" => classes.float,
            "issueRate" => classes.float + classes.integer,
            "tensorRate" => classes.matrix,
            _ => classes.special,
        };
        let warps = 2 * 256 / 32;
        let each = counted as f64 / f64::from(warps);
        // sums at the end, and addresses
        let rest = each - f64::from(arithmetic.per_turn);
        assert!((0.0..60.0).contains(&rest), "{}: {each} of {}", measurement.kernel, arithmetic.per_turn);
    }
}
