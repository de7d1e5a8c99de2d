//! Times on a GPU: device events around the launches only, many runs, median and spread.
//!
//! Context, module loading, copies and the restoring of inputs are outside. The inputs have just been written by a
//! copy on the device, so that what fits the L2 cache is there. Never used on the emulator: its times say nothing.

use crate::device::Device;
use crate::error::Error;
use crate::problem::Case;
use cudarc::driver::sys::CUevent_flags;
use std::time::{Duration, Instant};

/// Kernel time over several runs, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Timing {
    /// Middle run.
    pub median: f64,
    /// Fastest run.
    pub low: f64,
    /// Slowest run.
    pub high: f64,
    /// Number of runs.
    pub runs: usize,
}

/// Runs are stopped after this long, but not before [`FEWEST_RUNS`].
const TIME_BUDGET: Duration = Duration::from_secs(1);
const FEWEST_RUNS: usize = 3;

/// Warm-up ends when this many runs in a row lie within [`STABLE_WITHIN`] of each other, or its budget is spent.
const STABLE_RUNS: usize = 3;
const STABLE_WITHIN: f64 = 0.03;
const WARM_UP_BUDGET: Duration = Duration::from_millis(300);

/// Times `case` over at most `runs` runs, after a warm-up.
///
/// # Errors
/// [`Error::Driver`], when a launch or an event fails.
pub fn measure(device: &Device, case: &mut dyn Case, runs: usize) -> Result<Timing, Error> {
    repeated(runs, || time_once(device, case))
}

/// Takes a time at most `runs` times, after a warm-up.
///
/// # Errors
/// Those of `once`.
pub fn repeated(runs: usize, mut once: impl FnMut() -> Result<f64, Error>) -> Result<Timing, Error> {
    let started = Instant::now();
    let mut recent = Vec::new();
    while !is_stable(&recent) && started.elapsed() < WARM_UP_BUDGET {
        recent.push(once()?);
    }
    let started = Instant::now();
    let mut times = Vec::new();
    while times.len() < runs && (times.len() < FEWEST_RUNS || started.elapsed() < TIME_BUDGET) {
        times.push(once()?);
    }
    Ok(summary(times))
}

/// One run in milliseconds, from its restored state.
///
/// # Errors
/// [`Error::Driver`], when a launch or an event fails.
pub fn time_once(device: &Device, case: &mut dyn Case) -> Result<f64, Error> {
    case.restore()?;
    between_events(device, || case.launch())
}

/// The time in milliseconds between two events around what is launched.
///
/// # Errors
/// [`Error::Driver`], when a launch or an event fails.
pub fn between_events(device: &Device, launch: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let record = || device.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
    let start = record().map_err(|error| device.explain("record an event", error))?;
    launch()?;
    let end = record().map_err(|error| device.explain("record an event", error))?;
    let elapsed = start.elapsed_ms(&end).map_err(|error| device.explain("run a kernel to its end", error))?;
    Ok(f64::from(elapsed))
}

fn is_stable(times: &[f64]) -> bool {
    let Some(last) = times.len().checked_sub(STABLE_RUNS).map(|first| &times[first..]) else { return false };
    let low = last.iter().copied().fold(f64::INFINITY, f64::min);
    let high = last.iter().copied().fold(0.0, f64::max);
    high - low <= STABLE_WITHIN * low
}

fn summary(mut times: Vec<f64>) -> Timing {
    times.sort_by(f64::total_cmp);
    let runs = times.len();
    Timing { median: median(&times), low: times[0], high: times[runs - 1], runs }
}

/// The middle of ascending times, at least one; halfway between two where their number is even.
#[must_use]
pub fn median(ascending: &[f64]) -> f64 {
    let (below, above) = (ascending[(ascending.len() - 1) / 2], ascending[ascending.len() / 2]);
    below + (above - below) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_gives_the_middle_and_the_ends() {
        assert_eq!(summary(vec![3.0, 1.0, 2.0]), Timing { median: 2.0, low: 1.0, high: 3.0, runs: 3 });
        assert_eq!(summary(vec![4.0, 1.0, 2.0, 3.0]), Timing { median: 2.5, low: 1.0, high: 4.0, runs: 4 });
    }

    #[test]
    fn warm_up_ends_when_the_last_runs_agree() {
        assert!(!is_stable(&[1.0, 1.0]));
        assert!(!is_stable(&[1.0, 1.0, 1.1]));
        assert!(is_stable(&[9.0, 1.0, 1.02, 1.01]));
    }
}
