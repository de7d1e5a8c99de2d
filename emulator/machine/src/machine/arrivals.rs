//! Threads that have arrived at a barrier without waiting (`bar.arrive`).

/// The barriers of a block.
const BARRIERS: usize = 16;

/// The number of arrived threads, by barrier. Arrivals at barriers that a block does not have are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrivals([u32; BARRIERS]);

impl Arrivals {
    /// Adds `threads` arrivals at barrier `number`.
    pub(super) fn add(&mut self, number: u32, threads: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = count.saturating_add(threads);
        }
    }

    /// Returns the number of threads that have arrived at barrier `number` since it was last cleared.
    pub(super) fn at(&self, number: u32) -> u32 {
        self.0.get(number as usize).copied().unwrap_or(0)
    }

    /// Resets barrier `number`.
    pub(super) fn clear(&mut self, number: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = 0;
        }
    }
}

/// The lanes of a warp at the barrier of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AtCluster {
    /// Arrivals in the current phase.
    pub(super) arrived: u32,
    /// Arrivals in the phase before, which is complete, that have not waited.
    pub(super) released: u32,
}
