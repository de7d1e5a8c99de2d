//! A notifier for threads that wait for any of many connections.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A counter of notifications, incremented whenever something has arrived on a connection.
pub(crate) struct Notifier {
    count: Mutex<u64>,
    changed: Condvar,
}

/// Returns the notifier of this process.
pub(crate) fn notifier() -> &'static Notifier {
    static NOTIFIER: Notifier = Notifier { count: Mutex::new(0), changed: Condvar::new() };
    &NOTIFIER
}

impl Notifier {
    fn lock(&self) -> MutexGuard<'_, u64> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all waiting threads.
    pub(crate) fn notify(&self) {
        *self.lock() += 1;
        self.changed.notify_all();
    }

    /// Returns the number of notifications so far.
    pub(crate) fn count(&self) -> u64 {
        *self.lock()
    }

    /// Waits until there have been more than `seen` notifications, or for `time` at most.
    pub(crate) fn wait(&self, seen: u64, time: Duration) {
        let count = self.lock();
        drop(self.changed.wait_timeout_while(count, time, |count| *count == seen));
    }
}
