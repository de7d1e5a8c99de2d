//! The result of a run.

use crate::kernel::Resources;
use crate::problem::Cost;
use crate::stage::Plan;
use crate::timing::Timing;
use crate::verify::Report;
use emulator::{Counters, Sample};

/// One run of a kernel: its results, its time and its counters.
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
    /// The blocks whose counts stand for those of all; `None` if all blocks were counted.
    pub sample: Option<Sample>,
    /// The smaller run whose results were compared; `None` if they were those of the plan.
    pub smaller: Option<Smaller>,
}

/// The run of all blocks at a smaller size, for a kernel whose blocks depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smaller {
    /// The size.
    pub n: usize,
    /// Whether the counts are of it, too.
    pub is_counted: bool,
}
