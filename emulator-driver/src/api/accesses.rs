//! What work says of the device memory that it accesses.

use super::memory::DevicePointer;
use emulator::{Accessed, Accesses};

fn access(address: DevicePointer, bytes: usize, writes: bool, strong: bool) -> Accessed {
    Accessed { address, bytes: bytes as u64, writes, strong, place: None }
}

/// What work accesses that reads a range.
pub(super) fn read(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, false, false)
}

/// What work accesses that writes a range.
pub(super) fn write(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, true, false)
}

/// What work accesses that writes a word for others to wait for.
pub(super) fn strong_write(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, true, true)
}

/// What work accesses.
pub(super) fn accesses(ranges: impl Into<Vec<Accessed>>) -> Accesses {
    Accesses { ranges: ranges.into(), places: Vec::new() }
}
