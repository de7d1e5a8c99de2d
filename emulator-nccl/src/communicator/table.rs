//! Handles of communicators: numbers that are never used twice, so that one that was destroyed is an error.

use super::Communicator;
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
        _ => format!("communicator {handle:#x} is none, or was destroyed or aborted"),
    })
}

/// Takes in a communicator and returns its handle.
pub(crate) fn insert(communicator: Communicator) -> CommunicatorHandle {
    let mut table = table();
    // Programs take a handle for a pointer: it looks aligned.
    table.last += 16;
    let handle = table.last;
    table.live.insert(handle, Arc::new(communicator));
    handle
}

/// Returns the communicator of a handle.
pub(crate) fn find(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.get(&handle).cloned().ok_or_else(|| unknown(handle))
}

/// Takes a communicator away.
pub(crate) fn remove(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.remove(&handle).ok_or_else(|| unknown(handle))
}
