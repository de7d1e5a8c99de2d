//! What an operation does, as the driver is told of it.

use crate::arguments::{DevicePointer, Stream};
use std::ffi::CString;

/// Device memory that an operation reads or writes: `coalesced_range`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) address: DevicePointer,
    pub(crate) bytes: u64,
}

impl Range {
    /// Returns whether both have a byte in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.address < other.address + other.bytes && other.address < self.address + self.bytes
    }
}

/// What an operation has done, as work on a stream.
pub(crate) struct Done {
    pub(crate) stream: Stream,
    pub(crate) what: CString,
    pub(crate) reads: Option<Range>,
    pub(crate) writes: Vec<Range>,
    /// Bytes to and from other ranks.
    pub(crate) sent: u64,
    pub(crate) received: u64,
}
