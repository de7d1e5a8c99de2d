//! Times on a GPU: device events around the launches only; the median and the spread of many runs.
//!
//! Context creation, module loading, copies and resetting the inputs are not timed. A copy on the device has just written
//! the inputs, so as much of them as fits is in the L2 cache. Not used on the emulator, whose times mean nothing.

use crate::device::{Clock, Device, Reading};
use crate::error::Error;
use crate::problem::Case;
use cudarc::driver::sys::CUevent_flags;
use std::time::{Duration, Instant};

/// The kernel time of several runs, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Timing {
    /// The median run.
    pub median: f64,
    /// The fastest run.
    pub low: f64,
    /// The slowest run.
    pub high: f64,
    /// The number of runs.
    pub runs: usize,
    /// The GPU's clock; null if it was not read, for want of NVML, and in records made before 2026-11-28.
    #[serde(default)]
    pub clock: Option<Clock>,
}

/// The time for each of the runs asked for: no run starts after their sum, except for the [`MIN_RUNS`].
const BUDGET_OF_A_RUN: Duration = Duration::from_millis(25);
const MIN_RUNS: usize = 3;

/// The warm-up ends after this many consecutive runs within [`STABLE_WITHIN`] of each other, or when its budget is spent.
const STABLE_RUNS: usize = 3;
const STABLE_WITHIN: f64 = 0.03;
const WARM_UP_BUDGET: Duration = Duration::from_millis(150);

/// The time in milliseconds from which on the last run of the warm-up is measured if the next run confirms it, within
/// [`STABLE_WITHIN`]: a cold start costs such a run little, and whatever it costs shows.
const LONG_MS: f64 = 50.0;

/// Calls `once`, which returns a time in milliseconds, at most `runs` times after a warm-up, whose last run may be one of them.
///
/// # Errors
/// The same as `once`.
pub fn repeat(runs: usize, once: impl FnMut() -> Result<f64, Error>) -> Result<Timing, Error> {
    repeat_at_clock(runs, || None, once)
}

/// Likewise, and reads the clock twice: when the warm-up has ended, because an idle GPU lowers its clock, and after the last run.
/// Between timed runs, a reading would let the GPU idle. If the clock rose, that of an idle GPU was still rising, and all runs are
/// timed once more.
///
/// # Errors
/// The same as `once`.
pub fn repeat_at_clock(
    runs: usize,
    read_clock: impl Fn() -> Option<Reading>,
    mut once: impl FnMut() -> Result<f64, Error>,
) -> Result<Timing, Error> {
    let started = Instant::now();
    let mut recent = Vec::new();
    while !is_stable(&recent) && started.elapsed() < WARM_UP_BUDGET {
        recent.push(once()?);
    }
    let long = recent.pop().filter(|time| *time >= LONG_MS && runs > 1);
    let first = at_clock(runs, long, &read_clock, &mut once)?;
    if first.clock.is_some_and(|clock| clock.rose()) { at_clock(runs, None, &read_clock, &mut once) } else { Ok(first) }
}

/// Times runs until there are `runs`, or their budget is spent. `long` is the time of a run before them, which counts if the first of
/// them confirms it.
fn at_clock(
    runs: usize,
    long: Option<f64>,
    read_clock: &impl Fn() -> Option<Reading>,
    once: &mut impl FnMut() -> Result<f64, Error>,
) -> Result<Timing, Error> {
    let before = read_clock();
    let started = Instant::now();
    let mut times = vec![once()?];
    let confirmed = long.filter(|long| agree(&[*long, times[0]]));
    times.extend(confirmed);
    let before_them = Duration::from_secs_f64(confirmed.unwrap_or_default() / 1e3);
    let budget = (BUDGET_OF_A_RUN * runs as u32).saturating_sub(before_them);
    while times.len() < runs && (times.len() < MIN_RUNS || started.elapsed() < budget) {
        times.push(once()?);
    }
    let clock = before.zip(read_clock()).map(|(before, after)| Clock::between(&before, &after));
    Ok(Timing { clock, ..summary(times) })
}

/// Returns the time of one run in milliseconds, after restoring the inputs.
///
/// # Errors
/// [`Error::Driver`], if a launch or an event fails.
pub fn time_once(device: &Device, case: &mut dyn Case) -> Result<f64, Error> {
    case.restore()?;
    between_events(device, || case.launch())
}

/// Returns the time in milliseconds between two events around `launch`.
///
/// # Errors
/// [`Error::Driver`], if a launch or an event fails.
pub fn between_events(device: &Device, launch: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let record = || device.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let start = record().map_err(|error| device.explain("record an event", error))?;
    launch()?;
    let end = record().map_err(|error| device.explain("record an event", error))?;
    let elapsed = start.elapsed_ms(&end).map_err(|error| device.explain("run a kernel to its end", error))?;
    Ok(f64::from(elapsed))
}

fn is_stable(times: &[f64]) -> bool {
    times.len().checked_sub(STABLE_RUNS).is_some_and(|first| agree(&times[first..]))
}

/// Returns whether times are within [`STABLE_WITHIN`] of each other.
fn agree(times: &[f64]) -> bool {
    let low = times.iter().copied().fold(f64::INFINITY, f64::min);
    let high = times.iter().copied().fold(0.0, f64::max);
    high - low <= STABLE_WITHIN * low
}

/// Returns the median and the range of at least one time.
#[must_use]
pub fn summary(mut times: Vec<f64>) -> Timing {
    times.sort_by(f64::total_cmp);
    let runs = times.len();
    Timing { median: median(&times), low: times[0], high: times[runs - 1], runs, clock: None }
}

/// Returns the median of at least one ascending time: the mean of the middle two if their number is even.
#[must_use]
pub fn median(ascending: &[f64]) -> f64 {
    let below = ascending[(ascending.len() - 1) / 2];
    let above = ascending[ascending.len() / 2];
    below + (above - below) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Throttled;
    use std::cell::Cell;

    #[test]
    fn summary_gives_the_middle_and_the_ends() {
        let timing = |low, median, high, runs| Timing { median, low, high, runs, clock: None };
        assert_eq!(summary(vec![3.0, 1.0, 2.0]), timing(1.0, 2.0, 3.0, 3));
        assert_eq!(summary(vec![4.0, 1.0, 2.0, 3.0]), timing(1.0, 2.5, 4.0, 4));
    }

    /// Returns the clocks of 5 timed runs and the number of all runs, on a GPU whose clock follows from the runs so far.
    fn clocks_of(mhz_after: impl Fn(u32) -> u32) -> ([u32; 2], u32) {
        let runs = Cell::new(0);
        let once = || {
            runs.set(runs.get() + 1);
            Ok(1.0)
        };
        let read = || {
            let sm_mhz = mhz_after(runs.get());
            let throttled = Throttled::default();
            Some(Reading { sm_mhz, max_sm_mhz: None, power_w: None, temperature_c: None, throttled })
        };
        let timing = repeat_at_clock(5, read, once).unwrap();
        (timing.clock.unwrap().sm_mhz, runs.get())
    }

    #[test]
    fn the_clock_is_read_between_warm_up_and_timed_runs_and_after_the_last() {
        assert_eq!(clocks_of(|runs| 1000 - runs), ([997, 992], 8));
        assert_eq!(repeat(5, || Ok(1.0)).unwrap().clock, None);
    }

    #[test]
    fn runs_at_a_rising_clock_are_timed_once_more_and_those_at_a_falling_one_are_not() {
        assert_eq!(clocks_of(|runs| if runs < 5 { 345 } else { 1980 }), ([1980, 1980], 13));
        assert_eq!(clocks_of(|runs| if runs < 5 { 1980 } else { 1410 }), ([1980, 1410], 8));
    }

    /// Returns the timing of at most `runs` runs and the number of all runs, of which the first ones take these times, and others the last.
    fn timing_of(runs: usize, times: &[f64]) -> (Timing, usize) {
        let mut all = 0;
        let timing = repeat(runs, || {
            all += 1;
            Ok(times[(all - 1).min(times.len() - 1)])
        });
        (timing.unwrap(), all)
    }

    #[test]
    fn the_last_long_run_of_a_warm_up_is_measured_if_the_next_confirms_it() {
        let of = |runs, times: &[f64]| {
            let (timing, all) = timing_of(runs, times);
            (timing.runs, timing.low, timing.high, all)
        };
        assert_eq!(of(3, &[101.0, 101.0, 101.0, 100.0]), (3, 100.0, 101.0, 5));
        assert_eq!(of(3, &[101.0, 101.0, 101.0, 90.0]), (3, 90.0, 90.0, 6), "not confirmed");
        assert_eq!(of(3, &[49.5, 49.5, 49.5, 49.0]), (3, 49.0, 49.0, 6), "not long");
        assert_eq!(of(1, &[101.0, 101.0, 101.0, 100.0]), (1, 100.0, 100.0, 4), "one run, after a warm-up");
    }

    #[test]
    fn warm_up_ends_when_the_last_runs_agree() {
        assert!(!is_stable(&[1.0, 1.0]));
        assert!(!is_stable(&[1.0, 1.0, 1.1]));
        assert!(is_stable(&[9.0, 1.0, 1.02, 1.01]));
    }
}
