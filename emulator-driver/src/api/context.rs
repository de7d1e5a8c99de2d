//! Contexts: making them, making them current, waiting for them, their limits.

use super::device::{Device, require_device};
use super::primary_context::require_flags;
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::current::{self, current};
use crate::state::{Context, Handle, driver, lock};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;

/// `CU_LIMIT_STACK_SIZE`, the one limit that there is. It is kept and has no effect.
const STACK_SIZE: c_int = 0;

/// Largest stack of a thread in bytes: the local memory that it may have.
const MAX_STACK_BYTES: usize = 512 << 10;

/// Version that `cuCtxGetApiVersion` answers, as drivers do for every context that they create today.
const CONTEXT_API_VERSION: c_uint = 3020;

/// `CUctxCreateParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ContextCreateParams {
    affinities: *mut c_void,
    affinity_count: c_int,
    graphics: *mut c_void,
}

fn create(context: Out<Handle<Context>>, flags: c_uint, device: Device) -> Outcome {
    let device = require_device(device)?;
    context.require()?;
    require_flags(flags)?;
    let handle = driver()?.create_context(device, flags);
    current::push(handle)?;
    context.set(handle)
}

fn require_handle(context: Handle<Context>) -> Outcome {
    let null = || CUresult::INVALID_VALUE.because("the null context");
    if context == Handle::NULL { Err(null()) } else { Ok(()) }
}

fn no_affinity(count: c_int) -> Outcome {
    let unsupported = || CUresult::UNSUPPORTED_EXEC_AFFINITY.because("the emulator has no execution affinities");
    if count == 0 { Ok(()) } else { Err(unsupported()) }
}

fn require_limit(limit: c_int) -> Outcome {
    match limit {
        STACK_SIZE => Ok(()),
        1..=9 => Err(CUresult::UNSUPPORTED_LIMIT.because(format!("the emulator has no limit {limit}"))),
        _ => Err(CUresult::INVALID_VALUE.because(format!("CUDA 12.8 has no limit {limit}"))),
    }
}

pub(super) fn require_cache_config(config: c_int) -> Outcome {
    let unknown = || CUresult::INVALID_VALUE.because(format!("cache configuration {config}: 0 to 3"));
    if (0..=3).contains(&config) { Ok(()) } else { Err(unknown()) }
}

api! {
    /// Creates a context and makes it current.
    fn cuCtxCreate_v2(context: Out<Handle<Context>>, flags: c_uint, device: Device) {
        create(context, flags, device)
    }

    /// Creates a context and makes it current; execution affinities are not supported.
    fn cuCtxCreate_v3(
        context: Out<Handle<Context>>,
        _affinities: *mut c_void,
        affinity_count: c_int,
        flags: c_uint,
        device: Device,
    ) {
        no_affinity(affinity_count)?;
        create(context, flags, device)
    }

    /// Creates a context and makes it current; neither execution affinities nor graphics are supported.
    fn cuCtxCreate_v4(
        context: Out<Handle<Context>>,
        parameters: crate::arguments::In<ContextCreateParams>,
        flags: c_uint,
        device: Device,
    ) {
        if let Some(parameters) = parameters.get() {
            no_affinity(parameters.affinity_count)?;
            if !parameters.graphics.is_null() {
                return Err(CUresult::NOT_SUPPORTED.because("the emulator shares no context with graphics"));
            }
        }
        create(context, flags, device)
    }

    /// Destroys a context with all that was made in it, and takes it away where it is current on this thread.
    fn cuCtxDestroy_v2(context: Handle<Context>) {
        let driver = driver()?;
        require_handle(context)?;
        if driver.devices.iter().any(|device| lock(&device.primary).context == Some(context)) {
            return Err(CUresult::INVALID_CONTEXT.because("the primary context is released, not destroyed"));
        }
        driver.destroy_context(context)?;
        if current::handle()? == context {
            current::pop()?;
        }
        Ok(())
    }

    /// Writes the current context of this thread, null if there is none.
    fn cuCtxGetCurrent(context: Out<Handle<Context>>) {
        driver()?;
        context.set(current::handle()?)
    }

    /// Makes a context current in the place of the one that is; null makes none current.
    fn cuCtxSetCurrent(context: Handle<Context>) {
        let driver = driver()?;
        if context != Handle::NULL {
            driver.contexts.get(context)?;
        }
        current::replace(context)
    }

    /// Makes a context current above the one that is.
    fn cuCtxPushCurrent_v2(context: Handle<Context>) {
        let driver = driver()?;
        require_handle(context)?;
        driver.contexts.get(context)?;
        current::push(context)
    }

    /// Takes the current context away and writes it; the one below is current again.
    fn cuCtxPopCurrent_v2(context: Out<Handle<Context>>) {
        driver()?;
        context.set_if_wanted(current::pop()?);
        Ok(())
    }

    /// Writes the device of the current context.
    fn cuCtxGetDevice(device: Out<Device>) {
        device.set(current()?.context.device as Device)
    }

    /// Writes the flags of the current context.
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(current()?.context.flags.load(Relaxed))
    }

    /// Sets the flags of the current context. They have no effect: no call waits for a device.
    fn cuCtxSetFlags(flags: c_uint) {
        let current = current()?;
        require_flags(flags)?;
        current.context.flags.store(flags, Relaxed);
        Ok(())
    }

    /// Writes the API version of a context, of the current one for null.
    fn cuCtxGetApiVersion(context: Handle<Context>, version: Out<c_uint>) {
        if context == Handle::NULL { current().map(drop) } else { driver()?.contexts.get(context).map(drop) }?;
        version.set(CONTEXT_API_VERSION)
    }

    /// Waits for all work of the current context and tells of a kernel that faulted.
    fn cuCtxSynchronize() {
        let current = current()?;
        current.require_safe()?;
        current.wait_for_all()
    }

    /// Writes a limit of the current context.
    fn cuCtxGetLimit(value: Out<usize>, limit: c_int) {
        let current = current()?;
        require_limit(limit)?;
        value.set(current.context.stack_bytes.load(Relaxed))
    }

    /// Sets a limit of the current context.
    fn cuCtxSetLimit(limit: c_int, value: usize) {
        let current = current()?;
        require_limit(limit)?;
        if value > MAX_STACK_BYTES {
            return Err(CUresult::INVALID_VALUE.because(format!("{value} bytes of stack: at most {MAX_STACK_BYTES}")));
        }
        current.context.stack_bytes.store(value, Relaxed);
        Ok(())
    }

    /// Writes the cache preference of the current context.
    fn cuCtxGetCacheConfig(config: Out<c_int>) {
        config.set(current()?.context.cache_config.load(Relaxed))
    }

    /// Sets the cache preference of the current context. It has no effect: the emulator has no cache.
    fn cuCtxSetCacheConfig(config: c_int) {
        let current = current()?;
        require_cache_config(config)?;
        current.context.cache_config.store(config, Relaxed);
        Ok(())
    }

    /// Writes the range of stream priorities: 0 to 0, as on devices without priorities.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        current()?;
        least.set_if_wanted(0);
        greatest.set_if_wanted(0);
        Ok(())
    }
}
