//! The driver: its devices and the tables of their objects.

use super::array::Array;
use super::capture::Captures;
use super::context::Context;
use super::described::Machine;
use super::device::{self, Device};
use super::event::Event;
use super::function::{Function, LoadedModule};
use super::graph::{Graph, GraphExec};
use super::graph_memory::GraphMemory;
use super::handle::{Handle, Table};
use super::host_memory::HostMemory;
use super::linker::Linker;
use super::pool::Pool;
use super::stream::Stream;
use super::stream_order::Order;
use super::{printed_findings, settings};
use crate::arguments::device_range;
use crate::device_properties::Properties;
use crate::result::{CUresult, Outcome};
use emulator::Memory;
use std::sync::{Arc, OnceLock};

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The devices and all their objects.
pub(crate) struct Driver {
    /// The memory of all devices, as the host addresses it.
    pub(crate) memory: Arc<Memory>,
    pub(crate) devices: Vec<Device>,
    /// The newest PTX version that loads, times ten.
    pub(crate) ptx_version: u32,
    pub(crate) host: HostMemory,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<Function>,
    pub(crate) linkers: Table<Linker>,
    pub(crate) arrays: Table<Array>,
    pub(crate) pools: Table<Pool>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) executables: Table<GraphExec>,
    pub(crate) captures: Captures,
    pub(crate) graph_memory: GraphMemory,
    pub(crate) order: Order,
}

impl Driver {
    fn new(machine: &Machine) -> Self {
        let pools = Table::default();
        let (memory, devices) = device::all(&machine.devices, &pools);
        device_range::set_memory(&memory);
        Self {
            memory,
            devices,
            ptx_version: machine.ptx_version,
            host: HostMemory::default(),
            contexts: Table::default(),
            streams: Table::default(),
            events: Table::default(),
            modules: Table::default(),
            functions: Table::default(),
            linkers: Table::default(),
            arrays: Table::default(),
            pools,
            graphs: Table::default(),
            executables: Table::default(),
            captures: Captures::default(),
            graph_memory: GraphMemory::default(),
            order: Order::default(),
        }
    }

    /// Returns what is particular to the device of a context.
    pub(crate) fn properties(&self, context: &Context) -> &Properties {
        &self.devices[context.device as usize].properties
    }

    /// Creates a context on a device without making it current.
    pub(crate) fn create_context(&self, device: &Device, flags: u32) -> Handle<Context> {
        self.contexts.insert(Context::new(device.ordinal, &device.memory, flags))
    }

    /// Returns whether managed memory starts at `address`: host memory that kernels access and `cuMemHostAlloc` did not allocate.
    pub(crate) fn is_managed(&self, address: u64) -> bool {
        self.memory.is_host_allocation(address) && self.host.device_address(address as usize).is_err()
    }

    /// Destroys a context and everything created in it. Its memory is freed when the last call that uses it returns.
    /// Fails if the context does not exist.
    pub(crate) fn destroy_context(&self, context: Handle<Context>) -> Outcome {
        self.contexts.remove(context)?;
        self.contexts.for_each(|other| other.peers.forget(context.number()));
        self.order.end_context(context.number());
        self.captures.forget_context(context);
        // Modules first: another thread that is loading one inserts its functions into the table before the module.
        self.modules.remove_all(|module| module.context == context);
        self.functions.remove_all(|function| function.context == context);
        self.events.remove_all(|event| event.context == context);
        self.streams.remove_all(|stream| stream.context == context);
        self.arrays.remove_all(|array| array.context == context);
        Ok(())
    }
}

/// Initializes the driver once. Fails if a variable that describes the devices cannot be parsed.
pub(crate) fn initialize() -> Outcome {
    let machine = Machine::described()?;
    DRIVER.get_or_init(|| {
        if settings::prints_findings() {
            settings::set_checks(true);
            printed_findings::begin();
        }
        Driver::new(&machine)
    });
    Ok(())
}

/// Returns the driver. Fails before `cuInit`.
pub(crate) fn driver() -> Outcome<&'static Driver> {
    DRIVER.get().ok_or_else(|| CUresult::NOT_INITIALIZED.because("cuInit has not been called"))
}
