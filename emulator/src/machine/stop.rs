//! Why a block leaves its worker, at its end or before it, and who looks after the launch.

use crate::ground::fault::FaultKind;

/// Why a block ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The kernel is wrong.
    Fault { kind: FaultKind, position: u32, warp: usize, lane: usize, detail: String },
    /// Another block had a fault, or the observer has seen enough.
    Elsewhere,
}

/// How a block that does nothing wrong leaves its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// All threads have exited.
    Ended,
    /// It may wait for another block, which goes first.
    Yields,
    /// It does the same over and over, and will as long as device memory is as it was after this number of changes.
    Repeats { since: u64 },
}

pub(super) type Run<T> = Result<T, Box<Stop>>;

/// Looks after a launch while its blocks run.
pub(crate) trait Watch {
    /// Called now and then with the warp instructions executed since the last call, and whether device memory was
    /// changed; an error stops.
    fn pass(&self, instructions: u64, changed: bool) -> Result<(), Stop>;

    /// How often [`Self::pass`] was told of a change by any block.
    fn changes(&self) -> u64;
}
