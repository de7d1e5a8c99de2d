//! The reasons why warps wait.

use serde::{Deserialize, Serialize};

/// A reason why a warp does not issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The result of arithmetic, of shared memory or of a shuffle, or a branch.
    Dependency,
    /// The result of an access to global memory, or room for one.
    Memory,
    /// A barrier.
    Barrier,
    /// A busy pipe, or the issue slot, which another warp takes.
    Issue,
    /// A constant.
    Constant,
}

/// The completion of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    /// The cycle from which its results can be used.
    pub(super) at: u64,
    /// The cycle from which its operands can be overwritten.
    pub(super) released: u64,
    /// The reason of those who wait for them.
    pub(super) reason: Reason,
}

/// The cycles that warps waited, by reason, summed over all warps.
///
/// The reasons combine those of Nsight Compute: `wait`, `short_scoreboard` and `branch_resolving` are dependencies;
/// `long_scoreboard`, `lg_throttle`, `drain` and `membar` memory; `math_pipe_throttle`, `mio_throttle`, `dispatch_stall`,
/// `not_selected` and `no_instruction` issue; `imc_miss` constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// Results of arithmetic, of shared memory and of shuffles, and branches.
    pub dependency: u64,
    /// Global memory.
    pub memory: u64,
    /// Barriers.
    pub barrier: u64,
    /// Busy pipes, and issue slots that other warps take.
    pub issue: u64,
    /// Constants.
    pub constant: u64,
}

impl Stalls {
    pub(crate) fn add(&mut self, reason: Reason, cycles: u64) {
        *match reason {
            Reason::Dependency => &mut self.dependency,
            Reason::Memory => &mut self.memory,
            Reason::Barrier => &mut self.barrier,
            Reason::Issue => &mut self.issue,
            Reason::Constant => &mut self.constant,
        } += cycles;
    }
}
