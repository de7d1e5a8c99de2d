//! The device memory that work accesses, for the order of streams.

use super::range::DevicePointer;
use emulator::{Accessed, Accesses};

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
