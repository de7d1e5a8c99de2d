//! The two ways to pass the parameters of a kernel.

use super::device_range::require_host;
use super::host::HostSource;
use super::pointer::In;
use crate::result::{Outcome, invalid, require};
use emulator::Parameter;
use std::ffi::c_void;

/// The `kernelParams` of a launch: null, or an array with a pointer to the value of each parameter.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KernelParams(*mut *mut c_void);

impl KernelParams {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the parameter block of `bytes` bytes with every value in its place. Fails for null pointers.
    ///
    /// # Safety
    /// It is null, or an array of one pointer per parameter, each null or valid for reads of that parameter's bytes.
    pub(crate) unsafe fn gather(self, parameters: &[Parameter], bytes: usize) -> Outcome<Vec<u8>> {
        require_host(self.0)?;
        let mut block = vec![0; bytes];
        for (index, parameter) in parameters.iter().enumerate() {
            require(!self.0.is_null(), "the kernel has parameters, and the launch passes none")?;
            // SAFETY: by the caller's promise, there is a pointer for each parameter.
            let value = HostSource(unsafe { self.0.add(index).read_unaligned() });
            // SAFETY: by the caller's promise, each points to the bytes of its parameter.
            let value = unsafe { value.bytes(parameter.bytes) }?;
            block[parameter.offset..parameter.offset + parameter.bytes].copy_from_slice(value);
        }
        Ok(block)
    }
}

/// The `extra` of a launch: null, or pairs of key and value, terminated by the key `CU_LAUNCH_PARAM_END`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchExtra(*mut *mut c_void);

impl LaunchExtra {
    /// Null, for calls without this argument.
    pub(crate) const NONE: Self = Self(std::ptr::null_mut());

    const END: usize = 0;
    const BUFFER_POINTER: usize = 1;
    const BUFFER_SIZE: usize = 2;

    /// Returns the parameter block, `None` for null.
    pub(crate) fn buffer(self) -> Outcome<Option<Vec<u8>>> {
        if self.0.is_null() {
            return Ok(None);
        }
        require_host(self.0)?;
        let mut buffer = In::<u8>(std::ptr::null());
        let mut bytes = In::<usize>(std::ptr::null());
        let mut entry = self.0;
        loop {
            // SAFETY: the caller terminates the list with END, which has not been reached.
            let key = unsafe { entry.read_unaligned() }.addr();
            if key == Self::END {
                break;
            }
            // SAFETY: a key other than END is followed by a value and another key.
            let value = unsafe { entry.add(1).read_unaligned() };
            match key {
                Self::BUFFER_POINTER => buffer = In(value.cast_const().cast()),
                Self::BUFFER_SIZE => bytes = In(value.cast_const().cast()),
                _ => return Err(invalid(format!("unknown key {key} in extra"))),
            }
            // SAFETY: as for the value.
            entry = unsafe { entry.add(2) };
        }
        let missing = || invalid("extra lacks CU_LAUNCH_PARAM_BUFFER_SIZE");
        let bytes = bytes.get()?.ok_or_else(missing)?;
        // SAFETY: the caller passes the length of the buffer with the key BUFFER_SIZE.
        unsafe { buffer.list(bytes) }.map(Some)
    }
}
