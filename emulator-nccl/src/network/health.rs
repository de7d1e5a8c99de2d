//! How a communicator is: whether it has failed, and what this rank is doing.

use super::wire::Activity;
use crate::call::Call;
use crate::result::Error;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What all connections of a communicator share with it.
#[derive(Default)]
pub(crate) struct Health {
    failure: Mutex<Option<Error>>,
    activity: Mutex<Activity>,
    /// Frames that calls go on with.
    arrived: AtomicU64,
    /// How many had arrived before the calls looked at them last.
    noted: AtomicU64,
    /// The same when the calls were found to stand still.
    used: AtomicU64,
}

impl Health {
    /// Returns why the communicator has failed.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.failure).clone()
    }

    /// Keeps the first failure.
    pub(crate) fn fail(&self, error: &Error) {
        lock(&self.failure).get_or_insert_with(|| error.clone());
    }

    /// A call begins.
    pub(crate) fn enter(&self) {
        lock(&self.activity).inside = true;
    }

    /// The call has ended.
    pub(crate) fn leave(&self) {
        lock(&self.activity).inside = false;
    }

    /// Calls that stood still go on.
    pub(crate) fn go_on(&self) {
        self.update(|activity| {
            activity.steps += 1;
            activity.waits.clear();
        });
    }

    /// Something has come, and is there: who has seen the number has seen it.
    pub(super) fn arrived(&self) {
        self.arrived.fetch_add(1, SeqCst);
    }

    /// Calls look at what has arrived until now.
    pub(crate) fn note(&self) {
        self.noted.store(self.arrived.load(SeqCst), SeqCst);
    }

    /// Calls have used all that they looked at, and wait for other ranks.
    pub(crate) fn stand_still(&self, waits: Vec<(usize, Call)>) {
        self.used.store(self.noted.load(SeqCst), SeqCst);
        self.update(|activity| activity.waits = waits);
    }

    /// Changes what this rank says that it is doing.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Activity)) {
        change(&mut lock(&self.activity));
    }

    /// Returns what this rank is doing.
    pub(crate) fn activity(&self) -> Activity {
        let mut activity = lock(&self.activity).clone();
        activity.processor_ticks = processor_ticks();
        // What has come since may be what was waited for.
        if self.arrived.load(SeqCst) != self.used.load(SeqCst) {
            activity.waits.clear();
        }
        activity
    }
}

/// Processor time of this process in clock ticks; 0 where the system does not tell.
fn processor_ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the program's name, which is in parentheses: fields 14 and 15, `utime` and `stime`.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}
