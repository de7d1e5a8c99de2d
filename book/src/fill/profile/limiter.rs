//! The limiter of a profile, in the classes of an estimate.

use super::Profile;
use predict::Limiter;

/// Nsight Compute's reasons to wait, by class, as `predict::Stalls` combines them.
const CLASSES: [(Limiter, &[&str]); 5] = [
    (Limiter::Dependency, &["wait", "short_scoreboard", "branch_resolving"]),
    (Limiter::Memory, &["long_scoreboard", "lg_throttle", "drain", "membar"]),
    (Limiter::Barrier, &["barrier"]),
    (Limiter::Issue, &["math_pipe_throttle", "mio_throttle", "dispatch_stall", "not_selected", "no_instruction"]),
    (Limiter::Constant, &["imc_miss"]),
];

/// The share of the issue slots from which on they are the limiter.
const BUSY: f64 = 0.9;

impl Profile {
    /// Returns the limiter: busy issue slots, or the most frequent reason to wait. A profile does not show block starts.
    pub fn limiter(&self) -> Option<Limiter> {
        if self.issued() >= BUSY {
            return Some(Limiter::Issue);
        }
        let sums = CLASSES.iter().zip(self.waited());
        sums.max_by(|one, other| one.1.total_cmp(&other.1)).map(|((limiter, _), _)| *limiter)
    }

    /// Returns the shares of the classes in what warps wait for, in percent: dependency, memory, barrier, issue, constant.
    pub fn waits(&self) -> [u64; 5] {
        let waited = self.waited();
        let all: f64 = waited.iter().sum();
        waited.map(|clocks| (100.0 * clocks / all).round() as u64)
    }

    /// Returns the clocks that an average warp waits before an instruction, by class.
    fn waited(&self) -> [f64; 5] {
        CLASSES.map(|(_, reasons)| self.stalled(reasons))
    }
}
