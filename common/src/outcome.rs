//! The outcome of a run: what the table, the records and the checks report.

use crate::ceilings::Shares;
use crate::device::Attributes;
use crate::kernel::Resources;
use crate::problem::{Cost, CpuTimes, Written};
use crate::stage::Plan;
use crate::timing::Timing;
use crate::verify::Report;
use emulator::{Counters, Diagnosis};
use predict::RunEstimate;

/// The outcome of a plan: a row of the table.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The kernel, its size and its launch.
    pub plan: Plan<'a>,
    /// The comparison with the reference.
    pub report: Report,
    /// Times; `None` on the emulator, and for a kernel with wrong results.
    pub timing: Option<Timing>,
    /// Counts of one launch; `None` on a GPU.
    pub counters: Option<Counters>,
    /// The amount of work of a run.
    pub cost: Cost,
    /// The share of each unit's ceiling; `None` without ceilings, counts or times.
    pub shares: Option<Shares>,
    /// The estimated time on a GPU, or the reason why there is none; `None` on a GPU, which measures it.
    pub estimate: Option<Result<RunEstimate, String>>,
    /// Whether the kernel's file differs from the one that the prebuilt PTX was made from.
    pub is_edited: bool,
    /// The estimate of an edited kernel as it was shipped; `None` if it was not edited, or is not compared with a record.
    pub shipped: Option<Result<RunEstimate, String>>,
    /// How the code was made: `prebuilt PTX`, `NVRTC 12.9`, `NVRTC 13.5, cubin` or `clang 22.1.8`.
    pub code: String,
    /// The resources of a multiprocessor that the launch takes.
    pub resources: Resources,
    /// The time of the tutorial's loop on this CPU; `None` on the emulator, which has no time to compare it with.
    pub cpu: Option<CpuTimes>,
    /// The files that the problem's own options name.
    pub written: Vec<Written>,
    /// The comparison with the kernel's Rust version; `None` if there is none.
    pub twin: Option<Twin<'a>>,
}

/// The largest n at which a kernel and its Rust version are compared on the emulator: instructions outside of the loops weigh
/// little there, and it takes a small part of the time of the published size.
pub const COMPARED_N: usize = 4096;

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

/// One run of a kernel: what its results, its time and its counters are.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The kernel, its size and its launch.
    pub plan: Plan<'a>,
    /// The comparison with the reference.
    pub report: Report,
    /// Times; `None` on the emulator, and for a kernel with wrong results.
    pub timing: Option<Timing>,
    /// Counts of one launch; `None` on a GPU.
    pub counters: Option<Counters>,
    /// The amount of work.
    pub cost: Cost,
    /// How the code was made: `prebuilt PTX`, `NVRTC 12.9`, `NVRTC 13.5, cubin` or `clang 22.1.8`.
    pub code: String,
    /// Whether the kernel's file differs from the one that the prebuilt PTX was made from.
    pub is_edited: bool,
    /// The resources of a multiprocessor that the launch takes.
    pub resources: Resources,
}

/// The results of checks, and of the comparison with the reference.
#[derive(Debug)]
pub struct Checked {
    /// The kernel's mistakes, last the fault that ended it; empty for a clean kernel.
    pub findings: Vec<Diagnosis>,
    /// The comparison of its results; `None` after a fault.
    pub report: Option<Report>,
}

impl Checked {
    /// Returns whether the kernel is free of findings and wrong results.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.report.as_ref().is_some_and(Report::passed)
    }
}

impl Outcome<'_> {
    /// Returns whether all results are right, including those of the Rust version.
    #[must_use]
    pub fn passed(&self) -> bool {
        let of_twin = self.twin.iter().flat_map(|twin| &twin.runs);
        self.report.passed() && of_twin.map(|run| &run.report).all(Report::passed)
    }

    /// Returns an amount of a run, such as one of its [`Cost`], per second; `None` without a time.
    #[must_use]
    pub fn per_second(&self, amount: Option<f64>) -> Option<f64> {
        Some(amount? / (self.timing?.median / 1e3))
    }

    /// Returns the rate relative to the device's peak; `None` if either is unknown.
    #[must_use]
    pub fn limit_share(&self, attributes: &Attributes) -> Option<f64> {
        let limit = (self.plan.facts().rate.limit)(attributes);
        Some(self.per_second(Some(self.cost.amount))? / limit?)
    }
}
