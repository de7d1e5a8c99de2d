//! The rates that the columns *limited by* and *of peak* need, within 3 s: for a GPU whose rates are not recorded.

use super::super::measured::{Measured, Quantity};
use super::super::unit::Unit;
use super::{Bench, MEASUREMENTS, Measurement};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::version;
use std::time::{Duration, Instant};

/// How kernels are launched and timed here: raise it with a change, so that kept rates are measured again.
const WAY: u32 = 1;

/// The load before the first measurement: an idle GPU takes about 100 ms to raise its clock.
const WARM_UP: Duration = Duration::from_millis(200);

/// Timed runs: as many as in `results/DEVICE/limits.json`.
const RUNS: usize = 20;

/// Timed runs of products of warpgroups, during which the power lowers the clock: the record has as many.
const RUNS_OF_WARPGROUPS: usize = 100;

/// Timed launches of one empty kernel. They take microseconds, and differ by more than a tenth.
const RUNS_OF_A_LAUNCH: usize = 400;

/// The time after which few runs have to do, so that a slow GPU needs no more than 3 s.
const LATE: Duration = Duration::from_millis(1500);
const RUNS_WHEN_LATE: usize = 5;

/// Returns the measurements of all units that a device of this compute capability has, and of the tensor cores in the precision
/// whose nominal rate may be unknown.
pub fn measurements(compute_capability: (i32, i32)) -> impl Iterator<Item = &'static Measurement> {
    let is_of_unit = |limit| Unit::ALL.iter().any(|(_, quantity)| *quantity == limit);
    let is_needed = move |one: &&Measurement| one.limit == Quantity::TensorBf16 || is_of_unit(one.limit);
    MEASUREMENTS.iter().filter(is_needed).filter(move |one| one.runs_on(compute_capability))
}

/// Returns the version of the measurements: of their kernels, and of the way they are launched and timed.
#[must_use]
pub fn measurements_version() -> String {
    let mut sources: Vec<_> = MEASUREMENTS.iter().map(|one| &one.source).collect();
    sources.dedup_by_key(|source| source.file);
    format!("{WAY}-{}", version(sources))
}

/// Measures the rates of a device. Calls `begin` before each measurement.
///
/// # Errors
/// As [`Bench::measure`].
pub fn measure(device: &Device, mut begin: impl FnMut(&Measurement)) -> Result<Vec<Measured>, Error> {
    let started = Instant::now();
    let mut bench = Bench::as_shipped(device, RUNS);
    warm_up(&mut bench)?;
    let measured = measurements(device.compute_capability).map(|measurement| {
        begin(measurement);
        bench.runs = runs(measurement.limit, started.elapsed());
        bench.measure(measurement)
    });
    measured.collect()
}

/// Runs the first kernel of the list until the clock is up.
fn warm_up(bench: &mut Bench<'_>) -> Result<(), Error> {
    // The driver compiles it here, which is no load of the GPU.
    bench.measure(&MEASUREMENTS[0])?;
    let started = Instant::now();
    while !bench.is_emulated() && started.elapsed() < WARM_UP {
        bench.measure(&MEASUREMENTS[0])?;
    }
    Ok(())
}

/// Returns the number of timed runs of a measurement that begins after `elapsed`.
fn runs(limit: Quantity, elapsed: Duration) -> usize {
    match limit {
        Quantity::Launch => RUNS_OF_A_LAUNCH,
        _ if elapsed > LATE => RUNS_WHEN_LATE,
        Quantity::Warpgroup => RUNS_OF_WARPGROUPS,
        _ => RUNS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(compute_capability: (i32, i32)) -> Vec<&'static str> {
        let mut names: Vec<_> = measurements(compute_capability).map(|one| one.limit.name()).collect();
        names.dedup();
        names
    }

    #[test]
    fn units_that_a_device_lacks_are_left_out() {
        let turing = ["FP32", "issue slots", "special functions", "load/store units", "shared memory", "memory"];
        assert_eq!(limits((7, 5)), [&turing[..], &["block starts", "launch"]].concat());
        let ampere = limits((8, 6));
        assert!(ampere.contains(&"tensor cores") && !ampere.contains(&"wgmma"), "{ampere:?}");
        assert!(limits((9, 0)).contains(&"wgmma"));
        assert_eq!(limits((12, 0)), ampere);
    }

    #[test]
    fn a_slow_gpu_is_timed_less_often() {
        let early = [Quantity::Fp32, Quantity::Warpgroup, Quantity::Launch].map(|limit| runs(limit, Duration::ZERO));
        let late = [Quantity::Fp32, Quantity::Warpgroup, Quantity::Launch].map(|limit| runs(limit, 2 * LATE));
        assert_eq!((early, late), ([20, 100, 400], [5, 5, 400]));
    }

    #[test]
    fn the_version_is_of_all_kernels_and_the_way() {
        let version = measurements_version();
        assert!(version.starts_with("1-") && version.len() == 66, "{version}");
    }
}
