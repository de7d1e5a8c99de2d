//! The record of an operation for the driver.

use crate::arguments::{DevicePointer, Stream};
use std::ffi::CString;

/// A range of device memory that an operation reads or writes, as `coalesced_transfer` takes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) address: DevicePointer,
    pub(crate) bytes: u64,
}

impl Range {
    /// Returns whether the two ranges overlap.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.address < other.address + other.bytes && other.address < self.address + self.bytes
    }
}

/// A completed operation as work of a stream.
pub(crate) struct Done {
    pub(crate) stream: Stream,
    pub(crate) what: CString,
    pub(crate) reads: Option<Range>,
    pub(crate) writes: Vec<Range>,
}
