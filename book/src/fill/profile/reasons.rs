//! The stall reasons of warps, in groups of Nsight Compute's reasons, and the limiter of a profile, in the classes of an estimate.
//!
//! <https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#statistical-sampler> explains each reason.

use super::Profile;
use predict::Limiter;

/// A group of stall reasons.
#[derive(Clone, Copy)]
pub struct Reason {
    /// The name in directives.
    pub word: &'static str,
    /// The name in the list below a figure.
    pub name: &'static str,
    /// The names in Nsight Compute.
    reasons: &'static [&'static str],
}

impl Reason {
    /// Returns the clocks per instruction that a warp spends for the reason.
    pub fn clocks(&self, profile: &Profile) -> f64 {
        profile.stalled(self.reasons)
    }
}

/// All reasons, in the order of the bars: no stall, stalls that other work of the warp hides, and stalls that fewer warps
/// avoid.
pub const REASONS: [Reason; 7] = [
    Reason { word: "selected", name: "issues an instruction", reasons: &["selected"] },
    Reason {
        word: "memory",
        name: "waits for global memory",
        reasons: &["long_scoreboard", "lg_throttle", "tex_throttle", "drain", "membar"],
    },
    Reason {
        word: "shared",
        name: "waits for shared memory, shuffles, roots, or their queue",
        reasons: &["short_scoreboard", "mio_throttle"],
    },
    Reason {
        word: "constant",
        name: "waits for constants or instructions",
        reasons: &["imc_miss", "no_instruction", "branch_resolving"],
    },
    Reason { word: "barrier", name: "waits at a barrier", reasons: &["barrier", "sleeping"] },
    Reason { word: "fixed", name: "waits for arithmetic, whose latency is fixed", reasons: &["wait", "misc"] },
    Reason {
        word: "ready",
        name: "could go on, but the slot or the unit is taken",
        reasons: &["not_selected", "math_pipe_throttle", "dispatch_stall"],
    },
];

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

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn reasons_add_up_to_the_clocks_between_instructions() {
        let profile = profile();
        let all: f64 = REASONS.iter().map(|reason| reason.clocks(&profile)).sum();
        assert_eq!((all, REASONS[1].clocks(&profile)), (profile.clocks(), 3.0));
    }
}
