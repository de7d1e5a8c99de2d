//! The handles of communicators. Numbers are never reused, so a destroyed handle is an error.

use super::rank::Communicator;
use crate::arguments::CommunicatorHandle;
use crate::result::{NcclResult, Outcome};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Table {
    last: CommunicatorHandle,
    live: BTreeMap<CommunicatorHandle, Arc<Communicator>>,
}

fn table() -> MutexGuard<'static, Table> {
    static TABLE: Mutex<Table> = Mutex::new(Table { last: 0, live: BTreeMap::new() });
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unknown(handle: CommunicatorHandle) -> crate::result::Error {
    NcclResult::INVALID_ARGUMENT.because(match handle {
        0 => "the communicator is null".into(),
        _ => format!("communicator {handle:#x} does not exist, or was destroyed or aborted"),
    })
}

/// Inserts a communicator and returns its handle.
pub(crate) fn insert(communicator: Communicator) -> CommunicatorHandle {
    let mut table = table();
    // A pointer to programs, so it is aligned.
    table.last += 16;
    let handle = table.last;
    table.live.insert(handle, Arc::new(communicator));
    handle
}

/// Returns the communicator with a handle.
pub(crate) fn find(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.get(&handle).cloned().ok_or_else(|| unknown(handle))
}

/// Removes the communicator with a handle.
pub(crate) fn remove(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.remove(&handle).ok_or_else(|| unknown(handle))
}
