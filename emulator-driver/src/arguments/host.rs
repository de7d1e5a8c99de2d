//! Host memory that copies read and write.

use super::null_pointer;
use crate::result::Outcome;
use std::ffi::c_void;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::slice;

/// An address of host memory that the caller passed.
pub(crate) trait HostAddress: Copy {
    /// Returns the address that lies `bytes` bytes further; null stays null.
    fn at(self, bytes: usize) -> Self;
}

impl HostAddress for HostSource {
    fn at(self, bytes: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }
}

impl HostAddress for HostTarget {
    fn at(self, bytes: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }
}

/// Host memory that is read: null, or valid for reads of the bytes that the call names.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct HostSource(pub(super) *const c_void);

// SAFETY: it is an address. Whether it can be read is the promise of who passes it, for whichever thread reads it: that of
// a copy is the one that calls, and that of a captured copy the one that launches the graph.
unsafe impl Send for HostSource {}
// SAFETY: as above.
unsafe impl Sync for HostSource {}

// SAFETY: as above, for writes.
unsafe impl Send for HostTarget {}
// SAFETY: as above, for writes.
unsafe impl Sync for HostTarget {}

impl HostSource {
    /// Fails for null.
    pub(crate) fn require(self) -> Outcome {
        if self.0.is_null() { Err(null_pointer()) } else { Ok(()) }
    }

    /// Takes the number that the caller passed for a host address, among numbers that may be device addresses.
    pub(crate) fn of_address(address: u64) -> Self {
        Self(with_exposed_provenance(address as usize))
    }

    /// Returns the bytes; fails for null.
    ///
    /// # Safety
    /// It is null or `bytes` bytes can be read there until `'call` ends.
    pub(crate) unsafe fn bytes<'call>(self, bytes: usize) -> Outcome<&'call [u8]> {
        if self.0.is_null() {
            return Err(null_pointer());
        }
        // SAFETY: not null, and the caller's promise on the length.
        Ok(unsafe { slice::from_raw_parts(self.0.cast(), bytes) })
    }
}

/// Host memory that is written: null, or valid for writes of the bytes that the call names.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct HostTarget(*mut c_void);

impl HostTarget {
    pub(crate) fn new(pointer: *mut u8) -> Self {
        Self(pointer.cast())
    }

    /// Takes the number that the caller passed for a host address, among numbers that may be device addresses.
    pub(crate) fn of_address(address: u64) -> Self {
        Self(with_exposed_provenance_mut(address as usize))
    }

    /// Fails for null.
    pub(crate) fn require(self) -> Outcome {
        if self.0.is_null() { Err(null_pointer()) } else { Ok(()) }
    }

    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }

    /// Copies `bytes` bytes of `source` here; the ranges may overlap. Fails for null.
    ///
    /// # Safety
    /// Both are null or valid for `bytes` bytes, `source` for reads and this for writes.
    pub(crate) unsafe fn copy_from(self, source: HostSource, bytes: usize) -> Outcome {
        if self.0.is_null() || source.0.is_null() {
            return Err(null_pointer());
        }
        // SAFETY: neither is null, and the caller's promise on the length.
        unsafe { self.0.cast::<u8>().copy_from(source.0.cast(), bytes) };
        Ok(())
    }

    /// Clears the bytes and returns them; fails for null. Programs copy into memory that they never wrote, which a
    /// slice may not hold.
    ///
    /// # Safety
    /// It is null or nobody else touches the `bytes` bytes there until `'call` ends.
    pub(crate) unsafe fn cleared<'call>(self, bytes: usize) -> Outcome<&'call mut [u8]> {
        if self.0.is_null() {
            return Err(null_pointer());
        }
        // SAFETY: not null, the caller's promise on the length, and every byte is written before the slice exists.
        Ok(unsafe {
            self.0.cast::<u8>().write_bytes(0, bytes);
            slice::from_raw_parts_mut(self.0.cast(), bytes)
        })
    }
}
