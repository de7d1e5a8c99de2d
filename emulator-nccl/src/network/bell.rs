//! Who waits for any of many connections.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Rung when anything has come on any connection.
pub(crate) struct Bell {
    rings: Mutex<u64>,
    changed: Condvar,
}

/// Returns the bell of this process.
pub(crate) fn bell() -> &'static Bell {
    static BELL: Bell = Bell { rings: Mutex::new(0), changed: Condvar::new() };
    &BELL
}

impl Bell {
    fn count(&self) -> MutexGuard<'_, u64> {
        self.rings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes who waits.
    pub(crate) fn ring(&self) {
        *self.count() += 1;
        self.changed.notify_all();
    }

    /// Returns how often it has rung.
    pub(crate) fn rings(&self) -> u64 {
        *self.count()
    }

    /// Waits until it has rung more often than `seen`, or the time is over.
    pub(crate) fn wait(&self, seen: u64, time: Duration) {
        let rings = self.count();
        drop(self.changed.wait_timeout_while(rings, time, |rings| *rings == seen));
    }
}
