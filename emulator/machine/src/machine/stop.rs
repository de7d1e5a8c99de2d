//! The ways in which a block leaves its worker, and the interface to the launch that supervises it.

use crate::ground::fault::FaultKind;

/// The reason why a block was stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A thread did something wrong.
    Fault { kind: FaultKind, position: u32, warp: usize, lane: usize, detail: String },
    /// No thread of the block can run. `mbarrier` describes an mbarrier that a thread waits for, if any.
    Deadlock { waits: Vec<Waiting>, mbarrier: Option<String> },
    /// Another block had a fault, or the observer ended the launch.
    Canceled,
}

/// Lanes of a warp that cannot continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    /// Whether these are all lanes of the warp.
    pub(crate) whole_warp: bool,
    /// The step at which they wait, or at which they poll.
    pub(crate) position: u32,
    /// Whether they run in a loop.
    pub(crate) runs: bool,
    pub(crate) reason: Reason,
}

/// The reason why lanes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A barrier of the block.
    Barrier { number: u32 },
    /// Other lanes of their warp, at a warp-level instruction.
    Lanes { missing: u32 },
    /// The end of a phase of an mbarrier.
    Phase,
    /// The other warps of their warpgroup.
    Warpgroup,
    /// The barrier of the cluster.
    Cluster,
    /// Registers: per thread, it wants so many more, and its block has so many left.
    Registers { wanted: u32, left: u32 },
    /// A change of memory that they poll in a loop.
    Memory,
    /// Nothing: they are in an infinite loop.
    Loop,
}

/// The reason why a block without a fault leaves its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// All threads have exited.
    Ended,
    /// No thread can continue before another block of the cluster does.
    Waits,
    /// The block may be waiting for another block, which runs first.
    Yields,
    /// The block repeats the same state, and will until device memory has changed more than `since` times.
    Spins { since: u64 },
}

pub(super) type Run<T> = Result<T, Box<Stop>>;

/// Supervises a launch while its blocks run.
pub(crate) trait Watch {
    /// Called regularly with the number of warp instructions executed since the last call, with that of the block since its
    /// start, and with whether device memory has changed. An error stops the block.
    fn report_progress(&self, instructions: u64, of_block: u64, changed: bool) -> Result<(), Stop>;

    /// Returns how often a block has reported a change to [`Self::report_progress`].
    fn changes(&self) -> u64;
}
