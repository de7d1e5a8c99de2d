//! Page-locked host memory, which is ordinary memory here, because the device is the host.

use crate::arguments::{HostTarget, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::current;
use std::ffi::c_uint;

/// `CU_MEMHOSTALLOC_PORTABLE | _WRITECOMBINED`, which have no effect.
const ALLOCATE_HINTS: c_uint = 1 | 4;

/// `CU_MEMHOSTREGISTER_PORTABLE`, which has no effect.
const REGISTER_HINTS: c_uint = 1;

/// Fails for flags that request kernel access to host memory, and for unknown flags, which are above `last`.
fn require_flags(flags: c_uint, hints: c_uint, last: c_uint) -> Outcome {
    if flags > 2 * last - 1 {
        Err(CUresult::INVALID_VALUE.because(format!("host memory flags {flags:#x}")))
    } else if flags & !hints != 0 {
        Err(CUresult::NOT_SUPPORTED.because("emulated kernels cannot access host memory"))
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
    /// Allocates zeroed host memory. Writes null for 0 bytes.
    fn cuMemHostAlloc(pointer: Out<HostTarget>, bytes: usize, flags: c_uint) {
        allocate(pointer, bytes, flags)
    }

    /// Allocates zeroed host memory. Writes null for 0 bytes.
    fn cuMemAllocHost_v2(pointer: Out<HostTarget>, bytes: usize) {
        allocate(pointer, bytes, 0)
    }

    /// Frees memory from `cuMemHostAlloc` or `cuMemAllocHost`, which outlives its context. Fails for other memory.
    fn cuMemFreeHost(pointer: HostTarget) {
        let current = current()?;
        current.wait_for_all()?;
        current.driver.host.free(pointer.address())
    }

    /// Registers host memory as page-locked.
    fn cuMemHostRegister_v2(pointer: HostTarget, bytes: usize, flags: c_uint) {
        let current = current()?;
        require_flags(flags, REGISTER_HINTS, 8)?;
        current.driver.host.register(pointer.address(), bytes)
    }

    /// Ends the registration of host memory.
    fn cuMemHostUnregister(pointer: HostTarget) {
        current()?.driver.host.unregister(pointer.address())
    }
}
