//! Vector clocks.

/// A piece of work, identified by its queue and its number there, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(super) queue: usize,
    pub(super) number: u64,
}

/// A vector clock: the number of completed pieces of work of each queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    pub(super) fn last(&self, queue: usize) -> u64 {
        self.0.get(queue).copied().unwrap_or(0)
    }

    /// Returns whether a piece of work is complete.
    pub(super) fn covers(&self, epoch: Epoch) -> bool {
        self.last(epoch.queue) >= epoch.number
    }

    /// Returns whether all work that is complete in `other` is complete here.
    pub(super) fn includes(&self, other: &Self) -> bool {
        other.0.iter().enumerate().all(|(queue, &number)| self.last(queue) >= number)
    }

    /// Marks a piece of work, and all earlier work of its queue, as complete.
    pub(super) fn add(&mut self, epoch: Epoch) {
        if self.0.len() <= epoch.queue {
            self.0.resize(epoch.queue + 1, 0);
        }
        self.0[epoch.queue] = self.0[epoch.queue].max(epoch.number);
    }

    /// Leaves only the first `number` pieces of work of a queue marked as complete.
    pub(super) fn limit(&mut self, queue: usize, number: u64) {
        self.0.get_mut(queue).into_iter().for_each(|last| *last = number.min(*last));
    }

    /// Marks all work that is complete in `other` as complete.
    pub(crate) fn join(&mut self, other: &Self) {
        other.0.iter().enumerate().for_each(|(queue, &number)| self.add(Epoch { queue, number }));
    }
}
