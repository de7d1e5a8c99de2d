//! Primary contexts: one per device, shared by all its users.

use super::device::{Device, require_device};
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, require};
use crate::state::device::Primary;
use crate::state::{Context, Handle, driver, lock};
use std::ffi::{c_int, c_uint};

/// `CU_CTX_FLAGS_MASK`: the valid flags of a context.
const FLAGS: c_uint = 0xff;

pub(super) fn require_flags(flags: c_uint) -> Outcome {
    require(flags & !FLAGS == 0, format_args!("context flags {flags:#x}"))
}

fn destroy(primary: &mut Primary) -> Outcome {
    primary.context.take().map_or(Ok(()), |context| driver()?.destroy_context(context))
}

api! {
    /// Writes the primary context, which is created if necessary, and increments its reference count.
    fn cuDevicePrimaryCtxRetain(context: Out<Handle<Context>>, device: Device) {
        let driver = driver()?;
        let device = require_device(device)?;
        context.require()?;
        let mut primary = lock(&device.primary);
        let flags = primary.flags;
        let handle = *primary.context.get_or_insert_with(|| driver.create_context(device, flags));
        primary.retained += 1;
        context.set(handle)
    }

    /// Decrements the reference count of the primary context. The last release destroys the context. It remains on the stacks
    /// of threads, where its use is `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    fn cuDevicePrimaryCtxRelease_v2(device: Device) {
        let mut primary = lock(&require_device(device)?.primary);
        let unretained = || CUresult::INVALID_CONTEXT.because("the primary context is not retained");
        primary.retained = primary.retained.checked_sub(1).ok_or_else(unretained)?;
        if primary.retained == 0 { destroy(&mut primary) } else { Ok(()) }
    }

    /// Destroys the primary context and everything created in it. Its users still have to release it.
    fn cuDevicePrimaryCtxReset_v2(device: Device) {
        destroy(&mut lock(&require_device(device)?.primary))
    }

    /// Writes the flags of the primary context, and whether it exists.
    fn cuDevicePrimaryCtxGetState(device: Device, flags: Out<c_uint>, active: Out<c_int>) {
        let primary = lock(&require_device(device)?.primary);
        flags.set(primary.flags)?;
        active.set(primary.context.is_some().into())
    }

    /// Sets the flags with which the next primary context is created.
    fn cuDevicePrimaryCtxSetFlags_v2(device: Device, flags: c_uint) {
        let device = require_device(device)?;
        require_flags(flags)?;
        lock(&device.primary).flags = flags;
        Ok(())
    }
}
