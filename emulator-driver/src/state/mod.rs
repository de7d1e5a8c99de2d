//! What the driver keeps between calls: the devices, and what was made on them.

pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod current;
pub(crate) mod device;
pub(crate) mod graph;
pub(crate) mod handle;
pub(crate) mod host_memory;
mod instances;
mod linker;
pub(crate) mod objects;
pub(crate) mod order;
mod peers;
pub(crate) mod report;
pub(crate) mod settings;

pub use context::Context;
pub use graph::{Graph, GraphExec, Node};
pub use handle::Handle;
pub(crate) use instances::Instances;
pub use linker::Linker;
pub use objects::{Event, Function, LoadedModule, Stream};

use crate::result::{CUresult, Outcome};
use capture::Captures;
use device::Device;
use emulator::Memory;
use handle::Table;
use host_memory::HostMemory;
use order::Order;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The devices and all that lives on them.
pub(crate) struct Driver {
    /// Memory as the host reaches it: that of all devices.
    pub(crate) memory: Arc<Memory>,
    pub(crate) devices: Vec<Device>,
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
    pub(crate) order: Order,
}

impl Driver {
    fn new(devices: u32) -> Self {
        let (memory, devices) = device::all(devices);
        Self {
            memory,
            devices,
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
            order: Order::default(),
        }
    }

    /// Makes a context of a device, current nowhere.
    pub(crate) fn create_context(&self, device: &Device, flags: u32) -> Handle<Context> {
        self.contexts.insert(Context::new(device.ordinal, &device.memory, flags))
    }

    /// Destroys a context with all that was made in it; its memory is freed when the last call that uses it returns.
    /// Fails if there is no such context.
    pub(crate) fn destroy_context(&self, context: Handle<Context>) -> Outcome {
        self.contexts.remove(context)?;
        self.contexts.for_each(|other| other.peers.forget(context));
        self.order.end_context(context.number());
        self.captures.forget_context(context);
        // Modules first: one that another thread is loading has its functions in the table before itself.
        self.modules.remove_all(|module| module.context == context);
        self.functions.remove_all(|function| function.context == context);
        self.events.remove_all(|event| event.context == context);
        self.streams.remove_all(|stream| stream.context == context);
        Ok(())
    }
}

/// Makes the driver ready, once. Fails if it is not to be understood how many devices there are.
pub(crate) fn initialize() -> Outcome {
    let devices = settings::devices()?;
    DRIVER.get_or_init(|| Driver::new(devices));
    Ok(())
}

/// Returns the driver; fails before `cuInit`.
pub(crate) fn driver() -> Outcome<&'static Driver> {
    DRIVER.get().ok_or_else(|| CUresult::NOT_INITIALIZED.because("cuInit has not been called"))
}

/// Locks `mutex`. What a panicked call held stays usable: every change under a lock of this crate is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
