//! Devices.

use super::context::Context;
use super::handle::{Handle, Table};
use super::pool::Pool;
use super::{lock, settings};
use crate::device_properties::Properties;
use emulator::Memory;
use std::sync::{Arc, Mutex};

/// An emulated device.
pub(crate) struct Device {
    pub(crate) ordinal: u32,
    pub(crate) properties: Properties,
    pub(crate) memory: Arc<Memory>,
    pub(crate) primary: Mutex<Primary>,
    pub(crate) default_pool: Handle<Pool>,
    /// The memory pool from which `cuMemAllocAsync` allocates.
    pub(crate) pool: Mutex<Handle<Pool>>,
    /// The memory that graphs allocate, which comes from no memory pool of the program.
    pub(crate) of_graphs: Arc<Pool>,
}

impl Device {
    /// Returns the memory pool from which `cuMemAllocAsync` allocates.
    pub(crate) fn pool(&self) -> Handle<Pool> {
        *lock(&self.pool)
    }
}

/// The primary context of a device.
#[derive(Default)]
pub(crate) struct Primary {
    /// The number of retains that have not been released.
    pub(crate) retained: usize,
    /// The context, while it exists.
    pub(crate) context: Option<Handle<Context>>,
    /// The flags with which the next one is created.
    pub(crate) flags: u32,
}

/// Creates devices with their default memory pools. Returns them after the memory of all of them, as the host addresses it.
pub(super) fn all(properties: &[Properties], pools: &Table<Pool>) -> (Arc<Memory>, Vec<Device>) {
    let largest = properties.iter().map(|properties| properties.memory_bytes).max().unwrap_or(0);
    let memory = Memory::new(largest);
    memory.track_writes(settings::checks());
    let device = |(ordinal, &properties): (u32, &Properties)| {
        let memory = Arc::new(memory.for_device(ordinal).with_capacity(properties.memory_bytes));
        let default_pool = pools.insert(Pool::new(ordinal, 0));
        let pool = Mutex::new(default_pool);
        let of_graphs = Arc::new(Pool::new(ordinal, 0));
        Device { ordinal, properties, memory, primary: Mutex::default(), default_pool, pool, of_graphs }
    };
    let devices = (0..).zip(properties).map(device).collect();
    (Arc::new(memory), devices)
}
