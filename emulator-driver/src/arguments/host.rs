//! Host memory that copies read and write.

use super::null_pointer;
use crate::result::Outcome;
use std::ffi::c_void;
use std::slice;

/// Host memory that is read: null, or valid for reads of the bytes that the call names.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct HostSource(pub(super) *const c_void);

impl HostSource {
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

    pub(crate) fn address(self) -> usize {
        self.0.addr()
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
