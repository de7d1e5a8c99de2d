//! Host memory that copies read and write.

use super::device_range::require_host;
use super::pointer::null_pointer;
use crate::result::Outcome;
use std::ffi::c_void;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::slice;

/// An address of host memory that the caller passed.
pub trait HostAddress: Copy {
    /// Returns the number of the address.
    fn number(self) -> u64;

    /// Returns the address `bytes` bytes further on; null remains null.
    fn at(self, bytes: usize) -> Self;
}

impl HostAddress for HostSource {
    fn number(self) -> u64 {
        self.0.addr() as u64
    }

    fn at(self, bytes: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }
}

impl HostAddress for HostTarget {
    fn number(self) -> u64 {
        self.0.addr() as u64
    }

    fn at(self, bytes: usize) -> Self {
        if self.0.is_null() { self } else { Self(self.0.wrapping_byte_add(bytes)) }
    }
}

/// Host memory to read: null, or valid for reads of the number of bytes in the same call.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct HostSource(pub(super) *const c_void);

// SAFETY: it is an address. The caller promises that the reading thread may read it: the calling thread for a copy, the
// launching thread for a captured copy.
unsafe impl Send for HostSource {}
// SAFETY: as above.
unsafe impl Sync for HostSource {}

// SAFETY: as above, for writes.
unsafe impl Send for HostTarget {}
// SAFETY: as above, for writes.
unsafe impl Sync for HostTarget {}

impl HostSource {
    /// Fails for null and for device memory.
    pub(crate) fn require(self) -> Outcome {
        if self.0.is_null() { Err(null_pointer()) } else { require_host(self.0) }
    }

    /// Interprets a unified address as a host address.
    pub(crate) fn from_address(address: u64) -> Self {
        Self(with_exposed_provenance(address as usize))
    }

    /// Returns the bytes. Fails for null and for device memory.
    ///
    /// # Safety
    /// It is null or valid for reads of `bytes` bytes until `'call` ends.
    pub(crate) unsafe fn bytes<'call>(self, bytes: usize) -> Outcome<&'call [u8]> {
        self.require()?;
        // SAFETY: it is not null, and the caller's promise covers the length.
        Ok(unsafe { slice::from_raw_parts(self.0.cast(), bytes) })
    }
}

/// Host memory to write: null, or valid for writes of the number of bytes in the same call.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct HostTarget(*mut c_void);

impl HostTarget {
    pub(crate) fn new(pointer: *mut u8) -> Self {
        Self(pointer.cast())
    }

    /// Interprets a unified address as a host address.
    pub(crate) fn from_address(address: u64) -> Self {
        Self(with_exposed_provenance_mut(address as usize))
    }

    /// Fails for null and for device memory.
    pub(crate) fn require(self) -> Outcome {
        if self.0.is_null() { Err(null_pointer()) } else { require_host(self.0) }
    }

    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }

    /// Copies `bytes` bytes from `source`. The ranges may overlap. Fails for null and for device memory.
    ///
    /// # Safety
    /// Each is null or valid for `bytes` bytes, `source` for reads and `self` for writes.
    pub(crate) unsafe fn copy_from(self, source: HostSource, bytes: usize) -> Outcome {
        self.require()?;
        source.require()?;
        // SAFETY: neither is null, and the caller's promise covers the length.
        unsafe { self.0.cast::<u8>().copy_from(source.0.cast(), bytes) };
        Ok(())
    }

    /// Zeroes the bytes and returns them. Fails for null. Programs copy into uninitialized memory, which a slice must not
    /// contain.
    ///
    /// # Safety
    /// It is null, or the `bytes` bytes are valid for writes and not accessed otherwise until `'call` ends.
    pub(crate) unsafe fn clear<'call>(self, bytes: usize) -> Outcome<&'call mut [u8]> {
        self.require()?;
        // SAFETY: it is not null, the caller's promise covers the length, and every byte is written before the slice exists.
        Ok(unsafe {
            self.0.cast::<u8>().write_bytes(0, bytes);
            slice::from_raw_parts_mut(self.0.cast(), bytes)
        })
    }
}
