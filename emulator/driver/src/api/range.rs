//! Ranges of device memory.

use crate::result::Outcome;
use crate::state::current::Current;
use emulator::MemoryError;

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
