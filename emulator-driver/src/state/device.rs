//! The devices: the memory of each, and its primary context.

use super::handle::Handle;
use super::{Context, settings};
use crate::limits;
use emulator::Memory;
use std::sync::{Arc, Mutex};

/// An emulated device.
pub(crate) struct Device {
    pub(crate) ordinal: u32,
    pub(crate) memory: Arc<Memory>,
    pub(crate) primary: Mutex<Primary>,
}

/// The primary context of a device.
#[derive(Default)]
pub(crate) struct Primary {
    /// Calls of retain without a release.
    pub(crate) retained: usize,
    /// The context, while there is one.
    pub(crate) context: Option<Handle<Context>>,
    /// What the next one is created with.
    pub(crate) flags: u32,
}

/// Returns memory as the host reaches it, and that many devices. What is written is kept account of where launches are
/// checked.
pub(super) fn all(count: u32) -> (Arc<Memory>, Vec<Device>) {
    let memory = Memory::new(limits::memory_bytes(count));
    memory.track_writes(settings::checks());
    let device = |ordinal| {
        let memory = Arc::new(memory.of_device(ordinal));
        Device { ordinal, memory, primary: Mutex::default() }
    };
    let devices = (0..count).map(device).collect();
    (Arc::new(memory), devices)
}
