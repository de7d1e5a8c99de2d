//! The device memory that work accesses, for the order of streams.

use super::range::DevicePointer;
use emulator::{Accessed, Accesses};

fn access(address: DevicePointer, bytes: usize, writes: bool, strong: bool) -> Accessed {
    Accessed { address, bytes: bytes as u64, writes, strong, place: None }
}

/// Returns a read of a range.
pub(super) fn read(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, false, false)
}

/// Returns a write of a range.
pub(super) fn write(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, true, false)
}

/// Returns a write of a word that other work can wait for.
pub(super) fn strong_write(address: DevicePointer, bytes: usize) -> Accessed {
    access(address, bytes, true, true)
}

/// Returns the accesses of a piece of work other than a kernel.
pub(super) fn accesses(ranges: impl Into<Vec<Accessed>>) -> Accesses {
    Accesses { ranges: ranges.into(), places: Vec::new() }
}
