//! The two ways in which a launch passes the parameters of its kernel.

use super::{HostSource, In};
use crate::result::{CUresult, Outcome};
use emulator::Parameter;
use std::ffi::c_void;

/// `kernelParams` of a launch: null, or one pointer for each parameter of the kernel, to its value.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct KernelParams(*mut *mut c_void);

impl KernelParams {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Returns the parameter block of `bytes` bytes with every value in its place; fails for null pointers.
    ///
    /// # Safety
    /// It is null, or an array of one pointer for each of `parameters`, each null or to the bytes of that parameter.
    pub(crate) unsafe fn gather(self, parameters: &[Parameter], bytes: usize) -> Outcome<Vec<u8>> {
        let mut block = vec![0; bytes];
        for (index, parameter) in parameters.iter().enumerate() {
            if self.0.is_null() {
                return Err(CUresult::INVALID_VALUE.because("the kernel has parameters and the launch passes none"));
            }
            // SAFETY: the caller's promise: there is a pointer for each parameter.
            let value = HostSource(unsafe { self.0.add(index).read() });
            // SAFETY: the caller's promise: each points to the bytes of its parameter.
            let value = unsafe { value.bytes(parameter.bytes) }?;
            block[parameter.offset..parameter.offset + parameter.bytes].copy_from_slice(value);
        }
        Ok(block)
    }
}

/// `extra` of a launch: null, or keys each followed by its value, closed by the key `CU_LAUNCH_PARAM_END`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchExtra(*mut *mut c_void);

impl LaunchExtra {
    /// None, for calls that take no such list.
    pub(crate) const NONE: Self = Self(std::ptr::null_mut());

    const END: usize = 0;
    const BUFFER_POINTER: usize = 1;
    const BUFFER_SIZE: usize = 2;

    /// Returns the parameter block that it passes, `None` for null.
    pub(crate) fn buffer(self) -> Outcome<Option<Vec<u8>>> {
        if self.0.is_null() {
            return Ok(None);
        }
        let (mut buffer, mut bytes) = (In::<u8>(std::ptr::null()), In::<usize>(std::ptr::null()));
        let mut entry = self.0;
        loop {
            // SAFETY: the caller closes the list by END, and no END has been met.
            let key = unsafe { entry.read() }.addr();
            if key == Self::END {
                break;
            }
            // SAFETY: a value and another key follow a key that is not END.
            let value = unsafe { entry.add(1).read() };
            match key {
                Self::BUFFER_POINTER => buffer = In(value.cast_const().cast()),
                Self::BUFFER_SIZE => bytes = In(value.cast_const().cast()),
                _ => return Err(CUresult::INVALID_VALUE.because(format!("unknown key {key} in extra"))),
            }
            // SAFETY: as for the value.
            entry = unsafe { entry.add(2) };
        }
        let missing = || CUresult::INVALID_VALUE.because("extra lacks the size of the parameter buffer");
        let bytes = bytes.get().ok_or_else(missing)?;
        // SAFETY: the caller says by the key BUFFER_SIZE how long the buffer is.
        unsafe { buffer.list(bytes) }.map(Some)
    }
}
