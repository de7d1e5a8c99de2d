//! Why a block ends before its time, and who says so.

use crate::ground::fault::FaultKind;

/// Why a block ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The kernel is wrong.
    Fault { kind: FaultKind, position: u32, warp: usize, lane: usize, detail: String },
    /// Another block had a fault, or the observer has seen enough.
    Elsewhere,
}

pub(super) type Run<T> = Result<T, Box<Stop>>;

/// Looks after a launch while its blocks run.
pub(crate) trait Watch {
    /// Called now and then with the warp instructions executed since the last call; an error stops.
    fn pass(&self, instructions: u64) -> Result<(), Stop>;
}
