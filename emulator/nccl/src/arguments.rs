//! The parameter types of the C functions. Each type states the caller's promise.

use crate::result::{NcclResult, Outcome};

/// An output: null, or valid for a write of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Fails for null. For calls that create something, before they create it.
    pub(crate) fn require(&self) -> Outcome {
        if self.0.is_null() {
            return Err(NcclResult::INVALID_ARGUMENT.because("a pointer that the call must write is null"));
        }
        Ok(())
    }

    /// Writes `value`. Fails for null.
    pub(crate) fn set(&self, value: T) -> Outcome {
        self.require()?;
        // SAFETY: it is not null, and a caller that passes an output pointer promises that it is valid for a write of `T`.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Writes `values` to an array. Fails for null.
    ///
    /// # Safety
    /// It is null or points to an array at least as long as `values`.
    pub(crate) unsafe fn set_all(&self, values: impl IntoIterator<Item = T>) -> Outcome {
        self.require()?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: by the caller's promise, the element is inside the array.
            unsafe { self.0.add(index).write(value) };
        }
        Ok(())
    }
}

/// An input: null, or valid for reads of `T`.
#[repr(transparent)]
#[derive(Debug)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Returns the first `count` elements of an array, `None` for null.
    ///
    /// # Safety
    /// It is null or points to at least `count` elements.
    pub(crate) unsafe fn list(&self, count: usize) -> Option<Vec<T>> {
        // SAFETY: it is not null, and the caller's promise covers the length.
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0, count) }.to_vec())
    }
}

/// An address in device memory, a pointer in the C API. This process never dereferences it.
pub type DevicePointer = u64;

/// The handle of a stream of the driver.
pub type Stream = usize;

/// The handle of a communicator, a number that is never reused. 0 is null.
pub type CommunicatorHandle = usize;
