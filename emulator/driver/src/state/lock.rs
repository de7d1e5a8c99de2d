//! Mutexes that survive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if a call panicked while holding it: every change under a lock of this crate is a single step, so
/// the data is consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
