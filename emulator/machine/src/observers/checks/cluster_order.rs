//! The order of accesses by the barriers of clusters.

use super::vector_clock::{SharedClock, join_clocks};
use std::collections::HashMap;

/// The clocks at the barriers of clusters, by the number of the cluster.
#[derive(Debug, Default)]
pub(super) struct ClusterOrder(HashMap<u64, Phase>);

#[derive(Debug, Default)]
struct Phase {
    /// The number of phases that are complete.
    number: u32,
    /// The clock that the arrivals of this phase have released.
    arrived: SharedClock,
    /// That of the last complete phase.
    complete: SharedClock,
}

impl ClusterOrder {
    /// Records that a warp arrives, which releases a clock.
    pub(super) fn arrive(&mut self, cluster: u64, clock: &SharedClock) {
        let phase = self.0.entry(cluster).or_default();
        phase.arrived = join_clocks(&phase.arrived, clock);
    }

    /// Records that all threads have arrived.
    pub(super) fn complete(&mut self, cluster: u64) {
        let phase = self.0.entry(cluster).or_default();
        (phase.number, phase.complete) = (phase.number + 1, phase.arrived.take());
    }

    /// Returns the number of the last complete phase, and the clock that a thread acquires by its wait.
    pub(super) fn passed(&self, cluster: u64) -> (u32, SharedClock) {
        self.0.get(&cluster).map_or((0, None), |phase| (phase.number, phase.complete.clone()))
    }
}
