//! Threads that arrived at a barrier without waiting.

/// Barriers of a block.
const BARRIERS: usize = 16;

/// How many threads arrived, by the number of the barrier. Barriers that a block does not have count nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrivals([u32; BARRIERS]);

impl Arrivals {
    /// Threads arrive at barrier `number`.
    pub(super) fn add(&mut self, number: u32, threads: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = count.saturating_add(threads);
        }
    }

    /// The threads that arrived in this round of barrier `number`.
    pub(super) fn at(&self, number: u32) -> u32 {
        self.0.get(number as usize).copied().unwrap_or(0)
    }

    /// Begins a new round of barrier `number`.
    pub(super) fn clear(&mut self, number: u32) {
        if let Some(count) = self.0.get_mut(number as usize) {
            *count = 0;
        }
    }
}
