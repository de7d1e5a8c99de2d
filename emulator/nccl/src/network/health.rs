//! The state of a communicator: its failure, and the activity of this rank.

use super::wire::Activity;
use crate::call::Call;
use crate::result::Error;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state that a communicator shares with its connections.
#[derive(Default)]
pub(crate) struct Health {
    failure: Mutex<Option<Error>>,
    activity: Mutex<Activity>,
    /// The number of frames that have arrived for calls.
    arrived: AtomicU64,
    /// The value of `arrived` before the calls last processed their frames.
    noted: AtomicU64,
    /// The value of `noted` when the calls last stalled.
    used: AtomicU64,
}

impl Health {
    /// Returns the error with which the communicator has failed.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.failure).clone()
    }

    /// Records a failure. Only the first one is kept.
    pub(crate) fn fail(&self, error: &Error) {
        lock(&self.failure).get_or_insert_with(|| error.clone());
    }

    /// Records that a call begins.
    pub(crate) fn enter(&self) {
        lock(&self.activity).inside = true;
    }

    /// Records that the call has ended.
    pub(crate) fn leave(&self) {
        lock(&self.activity).inside = false;
    }

    /// Records that stalled calls make progress again.
    pub(crate) fn go_on(&self) {
        self.update(|activity| {
            activity.steps += 1;
            activity.waits.clear();
        });
    }

    /// Records that a frame has arrived, after it has been stored: a thread that reads the new count finds the frame.
    pub(super) fn record_arrival(&self) {
        self.arrived.fetch_add(1, SeqCst);
    }

    /// Records that the calls are about to process all frames that have arrived so far.
    pub(crate) fn note(&self) {
        self.noted.store(self.arrived.load(SeqCst), SeqCst);
    }

    /// Records that the calls have processed those frames and wait for other ranks.
    pub(crate) fn record_stall(&self, waits: Vec<(usize, Call)>) {
        self.used.store(self.noted.load(SeqCst), SeqCst);
        self.update(|activity| activity.waits = waits);
    }

    /// Changes the activity of this rank.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Activity)) {
        change(&mut lock(&self.activity));
    }

    /// Returns the activity of this rank.
    pub(crate) fn activity(&self) -> Activity {
        let mut activity = lock(&self.activity).clone();
        activity.processor_ticks = processor_ticks();
        // A frame that has arrived since may end the wait.
        if self.arrived.load(SeqCst) != self.used.load(SeqCst) {
            activity.waits.clear();
        }
        activity
    }
}

/// Returns the CPU time of this process in clock ticks, 0 on systems without `/proc`.
fn processor_ticks() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15, `utime` and `stime`, counted after the program's name in parentheses.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}
