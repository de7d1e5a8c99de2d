//! The state that the driver keeps between calls: its devices and the objects created on them.

mod array;
pub(crate) mod capture;
mod context;
pub(crate) mod current;
mod described;
pub(crate) mod device;
mod driver;
pub(crate) mod estimates;
mod event;
mod function;
pub(crate) mod graph;
mod graph_memory;
mod handle;
mod host_memory;
mod instances;
mod linker;
mod peers;
mod pool;
mod printed_findings;
pub(crate) mod report;
pub(crate) mod settings;
mod stream;
pub(crate) mod stream_order;

pub use array::Array;
pub use context::Context;
pub(crate) use described::Machine;
pub(crate) use driver::{Driver, driver, initialize};
pub use event::Event;
pub use function::{Function, LoadedModule};
pub use graph::{Graph, GraphExec};
pub use handle::Handle;
pub(crate) use instances::Instances;
pub use linker::Linker;
pub use pool::Pool;
pub use stream::Stream;
pub(crate) use stream::StreamKey;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even if a call panicked while holding it: every change under a lock of this crate is a single step, so
/// the data is consistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
