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

/// The measured rates, and the reasons for those that are missing.
#[derive(Clone, Debug, Default)]
pub struct Quick {
    /// The measurements in order, also those with wrong results.
    pub measured: Vec<Measured>,
    /// A text for each measurement that failed or had wrong results, with the name of its unit.
    pub failures: Vec<String>,
}

/// Measures the rates of a device. Calls `begin` before each measurement.
#[must_use]
pub fn measure(device: &Device, mut begin: impl FnMut(&Measurement)) -> Quick {
    let started = Instant::now();
    let mut bench = Bench::as_shipped(device, RUNS);
    warm_up(&mut bench);
    let mut quick = Quick::default();
    for measurement in measurements(device.compute_capability) {
        begin(measurement);
        bench.runs = runs(measurement.limit, started.elapsed());
        quick.add(measurement, bench.measure(measurement));
    }
    quick
}

impl Quick {
    /// Adds a measurement.
    fn add(&mut self, measurement: &Measurement, measured: Result<Measured, Error>) {
        let failed = |why: &dyn std::fmt::Display| format!("{} cannot be measured: {why}", measurement.limit.name());
        match measured {
            Ok(measured) => {
                let wrong = || failed(&format!("{} had wrong results", measurement.kernel));
                self.failures.extend((!measured.verified).then(wrong));
                self.measured.push(measured);
            }
            Err(error) => self.failures.push(failed(&error)),
        }
    }
}

/// Loads all kernels, which the driver then compiles, and runs the first one until the clock is up.
fn warm_up(bench: &mut Bench<'_>) {
    // A kernel that fails here fails again where it is measured.
    let all = measurements(bench.device.compute_capability);
    let loaded: Vec<_> = all.filter(|one| bench.load(&one.source, one.kernel).is_ok()).collect();
    let Some(first) = loaded.first() else { return };
    let started = Instant::now();
    while !bench.is_emulated() && started.elapsed() < WARM_UP && bench.measure(first).is_ok() {}
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
    use crate::ceilings::recorded::tests::measured;

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
    fn what_fails_or_is_wrong_is_named_and_the_rest_is_measured() {
        let mut quick = Quick::default();
        let mut needed = measurements((7, 5));
        let mut add = |measured| quick.add(needed.next().expect("a measurement"), measured);
        add(Ok(measured(Quantity::Fp32, 1e12, true)));
        add(Err(Error::Kernel("cannot load kernels/02_issue.cu".into())));
        add(Ok(measured(Quantity::Special, 1e11, false)));
        assert_eq!(quick.measured.len(), 2);
        let expected = [
            "issue slots cannot be measured: cannot load kernels/02_issue.cu",
            "special functions cannot be measured: rootRate had wrong results",
        ];
        assert_eq!(quick.failures, expected);
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
