//! The outcome of a plan: what the table, the records and the checks report.

use crate::ceilings::{Limiter, Residency, Shares, TimedRun};
use crate::device::{Attributes, Backend};
use crate::error::Error;
use crate::problem::{CpuTimes, Written};
use crate::session::{Run, Session};
use crate::stage::Plan;
use crate::verify::Report;
use predict::RunEstimate;

/// The outcome of a plan: a row of the table.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The run.
    pub run: Run<'a>,
    /// The share of each unit's ceiling; `None` without ceilings, counts or times.
    pub shares: Option<Shares>,
    /// The estimated time on a GPU, or the reason why there is none; `None` on a GPU, which measures it.
    pub estimate: Option<Result<RunEstimate, String>>,
    /// The estimate of an edited kernel as it was shipped; `None` if it was not edited, or is not compared with a record.
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
        let cpu = (!is_emulated).then(|| session.time_on_cpu(plan));
        session.device.begin_estimates(session.estimated_gpu);
        let run = session.run(plan, runs);
        let estimate = session.device.end_estimates(session.estimated_gpu)?;
        let run = run?;
        let is_compared = run.is_edited && is_emulated && session.estimates_shipped;
        let shipped = if is_compared { session.estimate_shipped(plan)? } else { None };
        let shares = shares(session, &run);
        Ok(Self { run, shares, estimate, shipped, cpu, written: Vec::new(), twin: None })
    }
}

/// Returns the shares of the units in a timed run; `None` for kernels in Rust, whose machine code is not recorded.
fn shares(session: &Session, run: &Run) -> Option<Shares> {
    let plan = &run.plan;
    let seconds = run.timing.filter(|_| !plan.in_rust)?.median / 1e3;
    let launches = f64::from((plan.facts().launches)(&plan.size));
    let bytes = run.cost.bytes_needed_by_a_launch * launches;
    let blocks = f64::from(plan.grid) * launches;
    session.ceilings.shares(plan.rung, &plan.size, &TimedRun { bytes, blocks, seconds })
}

impl Outcome<'_> {
    /// Returns whether all results are right, including those of the Rust version.
    #[must_use]
    pub fn passed(&self) -> bool {
        let of_twin = self.twin.iter().flat_map(|twin| &twin.runs);
        self.run.report.passed() && of_twin.map(|run| &run.report).all(Report::passed)
    }

    /// Returns an amount of a run, such as one of its [`Cost`](crate::problem::Cost), per second; `None` without a time.
    #[must_use]
    pub fn per_second(&self, amount: Option<f64>) -> Option<f64> {
        Some(amount? / (self.run.timing?.median / 1e3))
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
        let Run { plan, timing: Some(_), resources, .. } = &self.run else { return None };
        let residency = Residency::new(plan.grid, plan.block, resources.occupancy, attributes);
        Limiter::find(self.shares.as_ref(), residency)
    }

    /// Describes the limiter of a timed run, briefly or in full; with `~` if only its PTX was counted.
    #[must_use]
    pub fn limited_by(&self, attributes: &Attributes, brief: bool) -> Option<String> {
        let limiter = self.limiter(attributes)?;
        let is_of_ptx = self.shares.as_ref().is_some_and(|shares| shares.is_of_ptx(shares.busiest));
        let mark = if is_of_ptx && !matches!(limiter, Limiter::Multiprocessors(..)) { "~" } else { "" };
        Some(format!("{mark}{}", if brief { limiter.brief() } else { limiter.to_string() }))
    }
}
