//! What the driver keeps between calls: the device, and what was made on it.

pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod current;
pub(crate) mod graph;
pub(crate) mod handle;
pub(crate) mod host_memory;
mod linker;
pub(crate) mod objects;
pub(crate) mod report;
pub(crate) mod settings;

pub use context::Context;
pub use graph::{Graph, GraphExec, Node};
pub use handle::Handle;
pub use linker::Linker;
pub use objects::{Event, Function, LoadedModule, Stream};

use crate::limits;
use crate::result::{CUresult, Outcome};
use capture::Captures;
use context::Primary;
use emulator::Memory;
use handle::Table;
use host_memory::HostMemory;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The one device and all that lives on it.
pub(crate) struct Driver {
    pub(crate) memory: Arc<Memory>,
    pub(crate) primary: Mutex<Primary>,
    pub(crate) host: HostMemory,
    /// Allocations whose copies were asked to be synchronous, by address. All are; it is only kept to be told.
    pub(crate) synchronous: Mutex<HashSet<u64>>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<Function>,
    pub(crate) linkers: Table<Linker>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) nodes: Table<Node>,
    pub(crate) executables: Table<GraphExec>,
    pub(crate) captures: Captures,
}

impl Driver {
    fn new() -> Self {
        Self {
            memory: device_memory(),
            primary: Mutex::default(),
            host: HostMemory::default(),
            synchronous: Mutex::default(),
            contexts: Table::default(),
            streams: Table::default(),
            events: Table::default(),
            modules: Table::default(),
            functions: Table::default(),
            linkers: Table::default(),
            graphs: Table::default(),
            nodes: Table::default(),
            executables: Table::default(),
            captures: Captures::default(),
        }
    }

    /// Makes a context, current nowhere.
    pub(crate) fn create_context(&self, flags: u32) -> Handle<Context> {
        self.contexts.insert(Context::new(&self.memory, flags))
    }

    /// Destroys a context with all that was made in it; its memory is freed when the last call that uses it returns.
    /// Fails if there is no such context.
    pub(crate) fn destroy_context(&self, context: Handle<Context>) -> Outcome {
        self.contexts.remove(context)?;
        self.captures.forget_context(context);
        self.functions.remove_all(|function| function.context == context);
        self.modules.remove_all(|module| module.context == context);
        self.events.remove_all(|event| event.context == context);
        self.streams.remove_all(|stream| stream.context == context);
        Ok(())
    }
}

/// The device's memory; what is written to it is kept account of where launches are checked.
fn device_memory() -> Arc<Memory> {
    let memory = Memory::new(limits::memory_bytes());
    memory.track_writes(settings::checks());
    Arc::new(memory)
}

/// Makes the driver ready, once.
pub(crate) fn initialize() {
    DRIVER.get_or_init(Driver::new);
}

/// Returns the driver; fails before `cuInit`.
pub(crate) fn driver() -> Outcome<&'static Driver> {
    DRIVER.get().ok_or_else(|| CUresult::NOT_INITIALIZED.because("cuInit has not been called"))
}

/// Locks `mutex`. What a panicked call held stays usable: every change under a lock of this crate is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
