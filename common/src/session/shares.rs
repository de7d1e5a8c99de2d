//! The shares of a GPU's units that a timed run used.

use super::Session;
use crate::ceilings::{Shares, TimedRun};
use crate::problem::Cost;
use crate::stage::Plan;
use crate::timing::Timing;

impl Session {
    /// Returns the shares of the units in a timed run; `None` for kernels in Rust, whose machine code is not recorded.
    pub(super) fn shares(&self, plan: &Plan, cost: &Cost, timing: &Timing) -> Option<Shares> {
        if plan.in_rust {
            return None;
        }
        let launches = f64::from(plan.rung.work.launches(&plan.size));
        let (bytes, blocks) = (cost.bytes_needed_by_a_launch * launches, f64::from(plan.grid) * launches);
        self.ceilings.shares(plan.rung, &plan.size, &TimedRun { bytes, blocks, seconds: timing.median / 1e3 })
    }
}
