//! Host memory that CUDA calls page-locked: ordinary memory here, since the device is the host.

use crate::arguments::{HostTarget, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::current;
use std::ffi::c_uint;

/// `CU_MEMHOSTALLOC_PORTABLE | _WRITECOMBINED`, which change nothing here.
const ALLOCATE_HINTS: c_uint = 1 | 4;

/// `CU_MEMHOSTREGISTER_PORTABLE`, which changes nothing here.
const REGISTER_HINTS: c_uint = 1;

/// Fails for flags that need kernels to reach host memory, and for those that do not exist (above `last`).
fn require_flags(flags: c_uint, hints: c_uint, last: c_uint) -> Outcome {
    if flags > 2 * last - 1 {
        Err(CUresult::INVALID_VALUE.because(format!("host memory flags {flags:#x}")))
    } else if flags & !hints != 0 {
        Err(CUresult::NOT_SUPPORTED.because("kernels of the emulator cannot reach host memory"))
    } else {
        Ok(())
    }
}

fn allocate(pointer: Out<HostTarget>, bytes: usize, flags: c_uint) -> Outcome {
    let current = current()?;
    pointer.require()?;
    require_flags(flags, ALLOCATE_HINTS, 4)?;
    pointer.set(HostTarget::new(current.driver.host.allocate(bytes)?))
}

api! {
    /// Allocates host memory, cleared; null for 0 bytes.
    fn cuMemHostAlloc(pointer: Out<HostTarget>, bytes: usize, flags: c_uint) {
        allocate(pointer, bytes, flags)
    }

    /// Allocates host memory, cleared; null for 0 bytes.
    fn cuMemAllocHost_v2(pointer: Out<HostTarget>, bytes: usize) {
        allocate(pointer, bytes, 0)
    }

    /// Frees what `cuMemHostAlloc` or `cuMemAllocHost` allocated and nothing else. It outlives its context.
    fn cuMemFreeHost(pointer: HostTarget) {
        let current = current()?;
        current.wait_for_all()?;
        current.driver.host.free(pointer.address())
    }

    /// Notes host memory as page-locked.
    fn cuMemHostRegister_v2(pointer: HostTarget, bytes: usize, flags: c_uint) {
        let current = current()?;
        require_flags(flags, REGISTER_HINTS, 8)?;
        current.driver.host.register(pointer.address(), bytes)
    }

    /// Forgets what `cuMemHostRegister` noted.
    fn cuMemHostUnregister(pointer: HostTarget) {
        current()?.driver.host.unregister(pointer.address())
    }
}
