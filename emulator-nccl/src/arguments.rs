//! The parameters of the C functions, as types that say what the caller promises.

use crate::result::{NcclResult, Outcome};

/// Where one result goes: null, or valid for a write of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Fails for null. For calls that make something, before they make it.
    pub(crate) fn require(&self) -> Outcome {
        if self.0.is_null() {
            return Err(NcclResult::INVALID_ARGUMENT.because("a null pointer where the call writes"));
        }
        Ok(())
    }

    /// Writes `value`; fails for null.
    pub(crate) fn set(&self, value: T) -> Outcome {
        self.require()?;
        // SAFETY: it is not null, and a caller that passes an output pointer promises that it takes a `T`.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Writes `values` to an array; fails for null.
    ///
    /// # Safety
    /// It is null or points to an array that is at least as long as `values`.
    pub(crate) unsafe fn set_all(&self, values: impl IntoIterator<Item = T>) -> Outcome {
        self.require()?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's promise: the element is inside the array.
            unsafe { self.0.add(index).write(value) };
        }
        Ok(())
    }
}

impl Out<std::ffi::c_char> {
    /// Writes as much of `text` as fits `capacity` bytes with its closing NUL.
    ///
    /// # Safety
    /// It is null or points to at least `capacity` bytes.
    pub(crate) unsafe fn set_text(&self, text: &str, capacity: usize) {
        if self.0.is_null() || capacity == 0 {
            return;
        }
        let length = text.len().min(capacity - 1);
        // SAFETY: the caller's promise, and `length` + 1 is at most `capacity`.
        unsafe {
            self.0.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            self.0.add(length).write(0);
        }
    }
}

/// Where arguments lie: null, or valid for reads of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Returns the value, `None` for null.
    pub(crate) fn get(&self) -> Option<T> {
        // SAFETY: a caller that passes an input pointer other than null promises that a `T` can be read there.
        (!self.0.is_null()).then(|| unsafe { self.0.read() })
    }

    /// Returns the first `count` elements of an array, `None` for null.
    ///
    /// # Safety
    /// It is null or points to at least `count` elements.
    pub(crate) unsafe fn list(&self, count: usize) -> Option<Vec<T>> {
        // SAFETY: not null, and the caller's promise on the length.
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0, count) }.to_vec())
    }
}

/// A value whose type and place other arguments say: null, or valid for reads of it where it is on the host.
#[repr(transparent)]
#[derive(Debug)]
pub struct HostBytes(*const u8);

impl HostBytes {
    /// Returns the first `count` bytes, `None` for null.
    ///
    /// # Safety
    /// It is null or points to at least `count` bytes of the host.
    pub(crate) unsafe fn read(&self, count: usize) -> Option<Vec<u8>> {
        // SAFETY: the caller's promise.
        unsafe { In(self.0).list(count) }
    }

    /// Returns the address, of what is on the device.
    pub(crate) fn address(&self) -> DevicePointer {
        self.0 as DevicePointer
    }
}

/// An address of device memory, as the API's pointers carry it; never read or written by this process.
pub type DevicePointer = u64;

/// A stream of the driver, as its handle.
pub type Stream = usize;

/// A communicator, as a number that is never used twice; 0 is null.
pub type CommunicatorHandle = usize;
