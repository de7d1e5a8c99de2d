//! Ranges of device memory, and the accesses of work to them, for the order of streams.

use crate::result::{Outcome, invalid};
use crate::state::current::Current;
use emulator::{Accessed, Accesses, MemoryError};

/// An address in device memory.
pub(super) type DevicePointer = u64;

/// Fails unless the range is inside one allocation. Copies check this before they access host memory, because a wrong size
/// also exceeds the host buffer. A captured copy may be of memory that its graph will allocate.
pub(super) fn require_range(place: &Current, address: DevicePointer, bytes: usize) -> Outcome {
    let inside = |(base, length): (u64, u64)| bytes as u64 <= length - (address - base);
    let of_graph = || place.capture.is_some() && place.driver.graph_memory.holds(address, bytes);
    if place.driver.memory.allocation_of(address).is_some_and(inside) || of_graph() {
        return Ok(());
    }
    match place.driver.memory.freed_allocation_of(address) {
        Some((base, length)) => {
            let offset = address - base;
            Err(invalid(format!(
                "{address:#x} is at byte {offset} of an allocation of {length} bytes that was freed before"
            )))
        }
        None => Err(MemoryError::InvalidRange { address, bytes: bytes as u64 }.into()),
    }
}

fn access(address: DevicePointer, bytes: usize, writes: bool) -> Accessed {
    Accessed { address, bytes: bytes as u64, writes, strong: false, place: None }
}

/// Returns a read of a range.
pub(super) fn read(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, false)
}

/// Returns a write of a range.
pub(super) fn write(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, true)
}

/// Returns the accesses of a piece of work other than a kernel.
pub(super) fn accesses(ranges: impl Into<Vec<Accessed>>) -> Accesses {
    Accesses { ranges: ranges.into(), places: Vec::new() }
}
