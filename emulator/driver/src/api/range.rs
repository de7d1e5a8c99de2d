//! Ranges of device memory, and the accesses of work to them, for the order of streams.

use crate::result::Outcome;
use crate::state::current::Current;
use emulator::{Accessed, Accesses, MemoryError};

/// An address in device memory.
pub(super) type DevicePointer = u64;

/// Fails unless the range is inside one allocation. Copies check this before they access host memory, because a wrong size
/// also exceeds the host buffer.
pub(super) fn require_range(place: &Current, address: DevicePointer, bytes: usize) -> Outcome {
    let inside = |(base, length): (u64, u64)| bytes as u64 <= length - (address - base);
    if place.driver.memory.allocation_of(address).is_some_and(inside) {
        return Ok(());
    }
    Err(MemoryError::InvalidRange { address, bytes: bytes as u64 }.into())
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
