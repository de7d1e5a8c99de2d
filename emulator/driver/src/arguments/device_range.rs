//! The addresses of device memory, which a program may pass by mistake as a pointer to host memory. Accessing them would end
//! the process.

use crate::result::{Error, Outcome, invalid};
use emulator::Memory;
use std::sync::{Arc, OnceLock};

static MEMORY: OnceLock<Arc<Memory>> = OnceLock::new();

/// Sets the memory of the devices, once.
pub(crate) fn set_memory(memory: &Arc<Memory>) {
    let _set = MEMORY.set(Arc::clone(memory));
}

/// Returns whether device memory was ever allocated at an address.
pub(crate) fn contains(address: usize) -> bool {
    MEMORY.get().is_some_and(|memory| memory.hands_out(address as u64))
}

/// Fails for an address of device memory.
pub(super) fn require_host<T: ?Sized>(pointer: *const T) -> Outcome {
    let address = pointer.addr();
    if contains(address) { Err(device_address(address)) } else { Ok(()) }
}

fn device_address(address: usize) -> Error {
    let detail = format!(
        "{address:#x} is an address of device memory, and this argument points to host memory: pass the address of a variable \
         or buffer of the program"
    );
    invalid(detail)
}
