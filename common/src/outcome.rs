//! The outcome of a plan: what the table, the records and the checks report.

use crate::ceilings::{Ceilings, Limiter, Residency, Shares, TimedRun};
use crate::device::{Attributes, Backend};
use crate::error::Error;
use crate::kernel;
use crate::problem::{CpuTimes, Written};
use crate::recorded::Recorded;
use crate::session::{Run, Session};
use crate::stage::Plan;
use crate::timing::Timing;
use crate::verify::Report;
use emulator::Counters;
use predict::{RunEstimate, Way};
use serde::{Deserialize, Serialize};

/// The outcome of a plan: a row of the table.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The run.
    pub run: Run<'a>,
    /// The share of each unit's ceiling; `None` without ceilings, counts or times.
    pub shares: Option<Shares>,
    /// The recorded run of the kernel as it was shipped, in the same launch on the other kind of device: on a GPU it has the counts, on the
    /// emulator the time.
    pub recorded: Option<Recorded>,
    /// The estimated time on that GPU, or the reason why there is none; `None` on a GPU, and for a kernel whose time is recorded.
    pub estimate: Option<Result<RunEstimate, String>>,
    /// The estimate of an edited kernel as it was shipped; `None` if it was not edited, or has no record.
    pub shipped: Option<Result<RunEstimate, String>>,
    /// The time of the tutorial's loop on this CPU; `None` on the emulator, which has no time to compare it with.
    pub cpu: Option<CpuTimes>,
    /// The files that the problem's own options name.
    pub written: Vec<Written>,
    /// The comparison with the kernel's Rust version; `None` if there is none.
    pub twin: Option<Twin<'a>>,
}

/// A kernel's Rust version, compared with the kernel itself.
#[derive(Clone, Debug)]
pub struct Twin<'a> {
    /// Time of the Rust version divided by the kernel's, or warp instructions on the emulator; `None` if a run has
    /// neither.
    pub ratio: Option<f64>,
    /// Whether the results of the Rust version are right.
    pub passed: bool,
    /// The runs made for this comparison only: of the Rust version, and of the kernel if it had to run at a smaller size.
    pub runs: Vec<Run<'a>>,
}

impl<'a> Outcome<'a> {
    /// Runs a kernel. On a GPU, also times the same work on the CPU; on the emulator, also estimates the time on
    /// [`Session::estimated_gpu`].
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn measure(session: &mut Session, plan: &Plan<'a>, runs: usize) -> Result<Self, Error> {
        let is_emulated = session.device.backend == Backend::Emulator;
        let run = session.run(plan, runs)?;
        // Now that the inputs are made, which would take time from what is loaded ahead.
        let cpu = (!is_emulated).then(|| session.time_on_cpu(plan));
        let mut outcome = Self { cpu, ..Self::of_run(session, run) };
        if is_emulated && (outcome.timing().is_none() || session.estimates_all) && outcome.run.report.passed() {
            outcome.estimate = session.estimate(plan)?;
            let is_compared = outcome.run.is_edited && (outcome.recorded.is_some() || session.estimates_all);
            outcome.shipped = if is_compared { session.estimate_shipped(plan)? } else { None };
        }
        Ok(outcome)
    }

    /// Returns the outcome of a run, with what is recorded of its launch.
    #[must_use]
    pub fn of_run(session: &Session, run: Run<'a>) -> Self {
        let recorded = session.recorded.iter().find(|record| record.is_of(&run.plan)).cloned();
        let (estimate, shipped, cpu, twin, written) = (None, None, None, None, Vec::new());
        let mut outcome = Self { run, shares: None, recorded, estimate, shipped, cpu, written, twin };
        outcome.shares = outcome.find_shares(&session.ceilings);
        outcome
    }
}

/// The ratio of two estimates of one launch below which an edit changes nothing that they show. From machine code, the recorded
/// time of a kernel in CUDA C++ multiplied by such a ratio gives that of its Rust version, for nine in ten of 37 pairs, within 8 %
/// (`book/estimates-machine-code.json`).
pub const CLEAR_EDIT: f64 = 1.08;

/// The source of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeSource {
    /// This run, on a GPU.
    Measured,
    /// A recorded run of the same kernel and launch on another machine's GPU.
    Recorded,
    /// A model of a GPU.
    Estimated,
}

/// A time of a run on a GPU in milliseconds, with its range: of several runs, or of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The source of the time.
    pub source: TimeSource,
    /// The GPU; `None` for that of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The median, or the middle of an estimate.
    pub milliseconds: f64,
    /// The shortest time.
    pub low: f64,
    /// The longest time.
    pub high: f64,
}

impl Outcome<'_> {
    /// Returns the measured times, or the recorded ones of a kernel that was not edited.
    #[must_use]
    pub fn timing(&self) -> Option<Timing> {
        self.run.timing.or_else(|| self.as_shipped()?.time_ms)
    }

    /// Returns the counts of a launch, or the recorded ones of a kernel that was not edited.
    #[must_use]
    pub fn counters(&self) -> Option<Counters> {
        self.run.counters.or_else(|| self.as_shipped()?.counters)
    }

    /// Returns the record, if it is of what ran.
    #[must_use]
    pub fn as_shipped(&self) -> Option<&Recorded> {
        let is_shipped = !self.run.is_edited && self.run.code == kernel::PREBUILT && self.run.report.passed();
        self.recorded.as_ref().filter(|_| is_shipped)
    }

    /// Returns the time: measured, recorded, or estimated.
    #[must_use]
    pub fn time(&self) -> Option<Time> {
        if let Some(Timing { median: milliseconds, low, high, .. }) = self.timing() {
            let record = self.recorded.as_ref().filter(|_| self.run.timing.is_none());
            let source = if record.is_some() { TimeSource::Recorded } else { TimeSource::Measured };
            let gpu = record.map(|record| record.device.clone());
            return Some(Time { source, gpu, milliseconds, low, high });
        }
        let own = self.estimate.as_ref()?.as_ref().ok()?;
        let source = TimeSource::Estimated;
        let gpu = Some(own.gpu.clone());
        if let Some(ratio) = self.edit_ratio() {
            let milliseconds = ratio * self.recorded.as_ref()?.time_ms?.median;
            return Some(Time {
                source,
                gpu,
                milliseconds,
                low: milliseconds / CLEAR_EDIT,
                high: milliseconds * CLEAR_EDIT,
            });
        }
        let [milliseconds, low, high] = [own.nanoseconds, own.band.0, own.band.1].map(|time| time as f64 / 1e6);
        Some(Time { source, gpu, milliseconds, low, high })
    }

    /// Returns the estimate of an edited kernel, divided by that of the recorded one; `None` without both machine codes.
    #[must_use]
    pub fn edit_ratio(&self) -> Option<f64> {
        let own = self.estimate.as_ref()?.as_ref().ok()?;
        let shipped = self.shipped.as_ref()?.as_ref().ok()?;
        let are_followed = [own, shipped].iter().all(|estimate| estimate.way == Way::MachineCode);
        (are_followed && self.recorded.is_some()).then(|| own.nanoseconds as f64 / shipped.nanoseconds as f64)
    }

    /// Returns the shares of the units in a timed run; `None` for kernels in Rust and edited ones, whose machine code is not recorded.
    fn find_shares(&self, ceilings: &Ceilings) -> Option<Shares> {
        let Run { plan, cost, .. } = &self.run;
        let seconds = self.timing().filter(|_| !plan.in_rust && !self.run.is_edited)?.median / 1e3;
        let run = TimedRun::new(plan.facts(), &plan.size, plan.grid, cost.bytes_needed_by_a_launch, seconds);
        ceilings.shares(plan.rung, &plan.size, &run)
    }

    /// Returns the machine instructions of all warps in a step; `None` without a time, or if they are not recorded.
    #[must_use]
    pub fn instructions(&self) -> Option<f64> {
        self.shares.as_ref()?.instructions
    }

    /// Returns whether all results are right, including those of the Rust version.
    #[must_use]
    pub fn passed(&self) -> bool {
        let of_twin = self.twin.iter().flat_map(|twin| &twin.runs);
        self.run.report.passed() && of_twin.map(|run| &run.report).all(Report::passed)
    }

    /// Returns an amount of a run, such as one of its [`Cost`](crate::problem::Cost), per second; `None` without a time.
    #[must_use]
    pub fn per_second(&self, amount: Option<f64>) -> Option<f64> {
        Some(amount? / (self.timing()?.median / 1e3))
    }

    /// Returns the rate relative to the device's peak; `None` if either is unknown.
    #[must_use]
    pub fn limit_share(&self, attributes: &Attributes) -> Option<f64> {
        let limit = (self.run.plan.facts().rate.limit)(attributes);
        Some(self.per_second(Some(self.run.cost.amount))? / limit?)
    }

    /// Applies the rule of [`Limiter`] to a timed run.
    #[must_use]
    pub fn limiter(&self, attributes: &Attributes) -> Option<Limiter> {
        let Run { plan, resources, .. } = &self.run;
        self.timing()?;
        let record = self.recorded.as_ref().filter(|_| self.run.timing.is_none());
        let occupancy = record.map_or(resources.occupancy, |record| record.occupancy);
        let residency = Residency::new(plan.grid, plan.block, occupancy, attributes);
        Limiter::find(self.shares.as_ref(), residency)
    }

    /// Describes the limiter of a timed run, briefly or in full; with `~` if something else than its machine code was counted.
    #[must_use]
    pub fn limited_by(&self, attributes: &Attributes, brief: bool) -> Option<String> {
        Some(self.limiter(attributes)?.marked(self.shares.as_ref(), brief))
    }
}

#[cfg(test)]
mod tests;
