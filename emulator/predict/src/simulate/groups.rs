//! Groups of asynchronous operations of a warp, which it commits and waits for.

/// The groups of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The cycle in which the operations that are in no group yet are complete.
    open: u64,
    /// The same of each group, together with those before it.
    closed: Vec<u64>,
}

impl Groups {
    /// Adds an operation to the next group.
    pub(super) fn add(&mut self, complete: u64) {
        self.open = self.open.max(complete);
    }

    /// Closes a group.
    pub(super) fn commit(&mut self) {
        let before = self.closed.last().copied().unwrap_or(0);
        self.closed.push(before.max(std::mem::take(&mut self.open)));
    }

    /// Returns the cycle in which all but the last `leaves` groups are complete. A wait that leaves none also waits for operations in no
    /// group, as `cp.async.wait_all` does.
    pub(super) fn complete(&self, leaves: u64) -> u64 {
        let waited = self.closed.len().checked_sub(1 + leaves as usize).map_or(0, |last| self.closed[last]);
        if leaves == 0 { waited.max(self.open) } else { waited }
    }
}
