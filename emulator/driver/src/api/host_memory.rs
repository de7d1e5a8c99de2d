//! Page-locked host memory. Kernels can access what is allocated here, at the same addresses as the host.

use super::range::DevicePointer;
use crate::arguments::{HostTarget, Out};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::{Current, current};
use std::ffi::c_uint;

/// `CU_MEMHOSTALLOC_PORTABLE | _DEVICEMAP | _WRITECOMBINED`, which have no effect: all memory is mapped.
const ALLOCATE_HINTS: c_uint = 1 | 2 | 4;

/// `CU_MEMHOSTREGISTER_PORTABLE`, which has no effect.
const REGISTER_HINTS: c_uint = 1;

/// Fails for flags that request kernel access to registered memory, and for unknown flags, which are above `last`.
fn require_flags(flags: c_uint, hints: c_uint, last: c_uint) -> Outcome {
    if flags > 2 * last - 1 {
        Err(invalid(format!("host memory flags {flags:#x}")))
    } else if flags & !hints != 0 {
        let detail = "emulated kernels cannot access registered host memory: allocate it with cuMemHostAlloc";
        Err(CUresult::NOT_SUPPORTED.because(detail))
    } else {
        Ok(())
    }
}

fn allocate(pointer: Out<HostTarget>, bytes: usize, flags: c_uint) -> Outcome {
    let current = current()?;
    pointer.require()?;
    require_flags(flags, ALLOCATE_HINTS, 4)?;
    current.require_safe()?;
    let driver = current.driver;
    pointer.set(HostTarget::new(driver.host.allocate(&driver.memory, bytes, flags)?))
}

/// Removes the accesses of work to page-locked memory that ends: other memory may have its addresses later.
fn forget(current: &Current, pointer: HostTarget) {
    let range = current.driver.host.range_at(pointer.address());
    range.into_iter().for_each(|range| current.driver.order.forget(range));
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
        forget(&current, pointer);
        current.driver.host.free(&current.driver.memory, pointer.address())
    }

    /// Writes the address at which kernels access host memory: the same as that of the host. `flags` must be 0.
    fn cuMemHostGetDevicePointer_v2(address: Out<DevicePointer>, pointer: HostTarget, flags: c_uint) {
        let current = current()?;
        require(flags == 0, format_args!("flags {flags:#x}: must be 0"))?;
        address.set(current.driver.host.device_address(pointer.address())?)
    }

    /// Writes the flags of page-locked memory, with that for memory that kernels can access.
    fn cuMemHostGetFlags(flags: Out<c_uint>, pointer: HostTarget) {
        flags.set(current()?.driver.host.flags(pointer.address())?)
    }

    /// Registers host memory as page-locked.
    fn cuMemHostRegister_v2(pointer: HostTarget, bytes: usize, flags: c_uint) {
        let current = current()?;
        require_flags(flags, REGISTER_HINTS, 8)?;
        current.driver.host.register(pointer.address(), bytes, flags)
    }

    /// Ends the registration of host memory.
    fn cuMemHostUnregister(pointer: HostTarget) {
        let current = current()?;
        forget(&current, pointer);
        current.driver.host.unregister(pointer.address())
    }
}
