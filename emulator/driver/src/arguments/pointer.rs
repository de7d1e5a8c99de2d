//! Pointers to outputs, inputs and text.

use super::device_range::require_host;
use crate::result::{Error, Outcome, invalid, require};
use std::ffi::{CStr, c_char};

pub(super) fn null_pointer() -> Error {
    invalid("a pointer that the call must read or write is null")
}

/// The maximum size of an array of arguments in bytes. The largest are module images.
const MAX_LIST_BYTES: usize = 1 << 32;

/// An output: null, or valid for a write of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// Returns null, for results that a call does not have.
    pub(crate) fn nowhere() -> Self {
        Self(std::ptr::null_mut())
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns whether the address is a multiple of `bytes`.
    pub(crate) fn is_aligned(self, bytes: usize) -> bool {
        self.0.addr().is_multiple_of(bytes)
    }

    /// Fails for null and for device memory. For calls that create something, before they create it.
    pub(crate) fn require(self) -> Outcome {
        if self.is_null() { Err(null_pointer()) } else { require_host(self.0) }
    }

    /// Writes `value`. Fails for null and for device memory.
    pub(crate) fn set(self, value: T) -> Outcome {
        self.require()?;
        // SAFETY: it is not null, and a caller that passes an output pointer promises that it is valid for a write of `T`. It
        // may be unaligned: the processor does not mind, and a driver in C does not notice.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes `value` unless the pointer is null. For optional outputs. Fails for device memory.
    pub(crate) fn set_if_wanted(self, value: T) -> Outcome {
        if self.is_null() { Ok(()) } else { self.set(value) }
    }

    /// Returns the same place for another type, which a number among the arguments selects.
    pub(crate) fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// Returns the same place as an input, for arguments that are read before they are overwritten.
    pub(crate) fn as_input(self) -> In<T> {
        In(self.0.cast_const())
    }

    /// Returns element `index` of an array.
    ///
    /// # Safety
    /// It is not null and points to an array with more than `index` elements.
    pub(crate) unsafe fn element(self, index: usize) -> Self {
        // SAFETY: by the caller's promise, the element is inside the array.
        Self(unsafe { self.0.add(index) })
    }
}

impl Out<c_char> {
    /// Wraps a text buffer whose pointer the caller passed inside other arguments.
    pub(crate) fn buffer(pointer: *mut c_char) -> Self {
        Self(pointer)
    }

    /// Writes as much of `text` as fits into `capacity` bytes including a terminating NUL. Returns the number of bytes
    /// without the NUL: none for device memory.
    ///
    /// # Safety
    /// It is null or points to at least `capacity` bytes.
    pub(crate) unsafe fn set_text(self, text: &str, capacity: usize) -> usize {
        if capacity == 0 || self.require().is_err() {
            return 0;
        }
        let length = text.len().min(capacity - 1);
        // SAFETY: the caller's promise, and `length` + 1 is at most `capacity`.
        unsafe {
            self.0.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            self.0.add(length).write(0);
        }
        length
    }
}

/// An input: null, or valid for reads of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(pub(super) *const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> In<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<T: Copy> In<T> {
    /// Returns the value, `None` for null. Fails for device memory.
    pub(crate) fn get(self) -> Outcome<Option<T>> {
        require_host(self.0)?;
        // SAFETY: a caller that passes a non-null input pointer promises that it is valid for a read of `T`.
        Ok((!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() }))
    }

    /// Returns the value. Fails for null, with the message `missing`, and for device memory.
    pub(crate) fn require(self, missing: &str) -> Outcome<T> {
        self.get()?.ok_or_else(|| invalid(missing))
    }

    /// Returns the first `count` elements of an array. Fails for null and for device memory, unless `count` is 0.
    ///
    /// # Safety
    /// It is null or points to at least `count` elements.
    pub(crate) unsafe fn list(self, count: usize) -> Outcome<Vec<T>> {
        require_host(self.0)?;
        match (count, self.0.is_null()) {
            (0, _) => Ok(Vec::new()),
            _ if count.saturating_mul(size_of::<T>()) > MAX_LIST_BYTES => {
                Err(invalid(format!("an array of {count} elements: the number is wrong")))
            }
            (_, true) => Err(null_pointer()),
            (_, false) => {
                let mut list = Vec::<T>::with_capacity(count);
                // SAFETY: it is not null, and the caller's promise covers the length. Bytes may be unaligned.
                unsafe {
                    self.0.cast::<u8>().copy_to_nonoverlapping(list.as_mut_ptr().cast::<u8>(), count * size_of::<T>());
                    list.set_len(count);
                }
                Ok(list)
            }
        }
    }
}

/// Text: null, or a NUL-terminated string.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

impl Text {
    /// Returns the bytes before the NUL. Fails for null and for device memory.
    pub(crate) fn bytes(self) -> Outcome<Vec<u8>> {
        if self.0.is_null() {
            return Err(null_pointer());
        }
        require_host(self.0)?;
        // SAFETY: it is not null, and a caller that passes text promises that it is NUL-terminated.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }

    /// Returns the text, with `�` for invalid UTF-8. Fails for null and for the empty string.
    pub(crate) fn name(self) -> Outcome<String> {
        let bytes = self.bytes()?;
        require(!bytes.is_empty(), "the name is empty")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
