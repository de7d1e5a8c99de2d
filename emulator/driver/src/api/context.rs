//! Contexts: creation, the current context, synchronization and limits.

use super::device::{Device, require_device};
use super::primary_context::require_flags;
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::{self, Current, current};
use crate::state::{Context, Handle, driver, lock};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering::Relaxed;

/// `CU_LIMIT_STACK_SIZE`. It is stored and has no effect.
const STACK_SIZE: c_int = 0;

/// `CU_LIMIT_PRINTF_FIFO_SIZE`, the size of the buffer for printed text.
const PRINTED_BYTES: c_int = 1;

/// `CU_LIMIT_MALLOC_HEAP_SIZE`, the capacity of the heap of `malloc` in kernels.
const HEAP_BYTES: c_int = 2;

/// The maximum size of the buffer for printed text in bytes.
const MAX_PRINTED_BYTES: usize = 1 << 30;

/// The maximum stack of a thread in bytes, which is the maximum local memory.
const MAX_STACK_BYTES: usize = 512 << 10;

/// The version that `cuCtxGetApiVersion` reports, the same as NVIDIA's drivers do for every context they create today.
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
    require(context != Handle::NULL, "the context is null")
}

fn no_affinity(count: c_int) -> Outcome {
    CUresult::UNSUPPORTED_EXEC_AFFINITY.unless(count == 0, "execution affinities are not supported")
}

fn require_limit(limit: c_int) -> Outcome {
    match limit {
        STACK_SIZE | PRINTED_BYTES | HEAP_BYTES => Ok(()),
        3..=9 => Err(CUresult::UNSUPPORTED_LIMIT.because(format!("limit {limit} is not supported"))),
        _ => Err(invalid(format!("CUDA 12.8 has no limit {limit}"))),
    }
}

pub(super) fn require_cache_config(config: c_int) -> Outcome {
    require((0..=3).contains(&config), format_args!("cache configuration {config}: must be from 0 to 3"))
}

/// `CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE`.
const BANKS_OF_FOUR_BYTES: c_int = 1;

pub(super) fn require_bank_config(config: c_int) -> Outcome {
    require((0..=2).contains(&config), format_args!("bank configuration {config}: must be from 0 to 2"))
}

/// Returns a context, the current one for null.
fn require_context(context: Handle<Context>) -> Outcome<Current> {
    if context == Handle::NULL {
        return current();
    }
    let driver = driver()?;
    driver.contexts.get(context)?;
    Current::new(driver, context)
}

api! {
    /// Creates a context and makes it current.
    fn cuCtxCreate_v2(context: Out<Handle<Context>>, flags: c_uint, device: Device) {
        create(context, flags, device)
    }

    /// Creates a context and makes it current. Execution affinities are not supported.
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

    /// Creates a context and makes it current. Neither execution affinities nor graphics are supported.
    fn cuCtxCreate_v4(
        context: Out<Handle<Context>>,
        parameters: crate::arguments::In<ContextCreateParams>,
        flags: c_uint,
        device: Device,
    ) {
        if let Some(parameters) = parameters.get()? {
            no_affinity(parameters.affinity_count)?;
            CUresult::NOT_SUPPORTED.unless(parameters.graphics.is_null(), "graphics contexts are not supported")?;
        }
        create(context, flags, device)
    }

    /// Destroys a context and everything created in it. If it is current on this thread, pops it.
    fn cuCtxDestroy_v2(context: Handle<Context>) {
        let driver = driver()?;
        require_handle(context)?;
        let is_primary = driver.devices.iter().any(|device| lock(&device.primary).context == Some(context));
        CUresult::INVALID_CONTEXT.unless(
            !is_primary,
            "a primary context cannot be destroyed: call cuDevicePrimaryCtxRelease",
        )?;
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

    /// Replaces the current context with another; null only removes it.
    fn cuCtxSetCurrent(context: Handle<Context>) {
        let driver = driver()?;
        if context != Handle::NULL {
            driver.contexts.get(context)?;
        }
        current::replace(context)
    }

    /// Pushes a context, which becomes the current one.
    fn cuCtxPushCurrent_v2(context: Handle<Context>) {
        let driver = driver()?;
        require_handle(context)?;
        driver.contexts.get(context)?;
        current::push(context)
    }

    /// Pops the current context and writes it. The context below becomes current again.
    fn cuCtxPopCurrent_v2(context: Out<Handle<Context>>) {
        driver()?;
        context.set_if_wanted(current::pop()?)
    }

    /// Writes the device of the current context.
    fn cuCtxGetDevice(device: Out<Device>) {
        device.set(current()?.context.device as Device)
    }

    /// Writes the device of a context.
    fn cuCtxGetDevice_v2(device: Out<Device>, context: Handle<Context>) {
        device.set(require_context(context)?.context.device as Device)
    }

    /// Writes the number of a context, or of the current one for null. No other context of the process has it.
    fn cuCtxGetId(context: Handle<Context>, id: Out<c_ulonglong>) {
        id.set(require_context(context)?.handle.number() as c_ulonglong)
    }

    /// Writes the flags of the current context.
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(current()?.context.flags.load(Relaxed))
    }

    /// Sets the flags of the current context. They have no effect, because no call waits for a device.
    fn cuCtxSetFlags(flags: c_uint) {
        let current = current()?;
        require_flags(flags)?;
        current.context.flags.store(flags, Relaxed);
        Ok(())
    }

    /// Writes the API version of a context, or of the current one for null.
    fn cuCtxGetApiVersion(context: Handle<Context>, version: Out<c_uint>) {
        if context == Handle::NULL { current().map(drop) } else { driver()?.contexts.get(context).map(drop) }?;
        version.set(CONTEXT_API_VERSION)
    }

    /// Waits for all work of the current context. Fails if a kernel has faulted.
    fn cuCtxSynchronize() {
        let current = current()?;
        current.require_no_capture()?;
        current.wait_for_all()
    }

    /// Waits for all work of a context, or of the current one for null. Fails if a kernel has faulted.
    fn cuCtxSynchronize_v2(context: Handle<Context>) {
        let place = require_context(context)?;
        place.require_no_capture()?;
        place.wait_for_all()
    }

    /// Writes a limit of the current context.
    fn cuCtxGetLimit(value: Out<usize>, limit: c_int) {
        let current = current()?;
        require_limit(limit)?;
        value.set(match limit {
            PRINTED_BYTES => current.context.memory.print_capacity(),
            HEAP_BYTES => current.context.memory.heap_capacity() as usize,
            _ => current.context.stack_bytes.load(Relaxed),
        })
    }

    /// Sets a limit of the current context.
    fn cuCtxSetLimit(limit: c_int, value: usize) {
        let current = current()?;
        require_limit(limit)?;
        let (what, most) = match limit {
            PRINTED_BYTES => ("printed text", MAX_PRINTED_BYTES),
            HEAP_BYTES => ("the heap of kernels", current.context.memory.capacity_bytes() as usize),
            _ => ("stack", MAX_STACK_BYTES),
        };
        require(value <= most, format_args!("{value} bytes of {what}: must be at most {most}"))?;
        match limit {
            PRINTED_BYTES => current.context.memory.set_print_capacity(value),
            HEAP_BYTES => current.context.memory.set_heap_capacity(value as u64),
            _ => current.context.stack_bytes.store(value, Relaxed),
        }
        Ok(())
    }

    /// Writes the cache preference of the current context.
    fn cuCtxGetCacheConfig(config: Out<c_int>) {
        config.set(current()?.context.cache_config.load(Relaxed))
    }

    /// Sets the cache preference of the current context. This has no effect, because the emulator has no cache.
    fn cuCtxSetCacheConfig(config: c_int) {
        let current = current()?;
        require_cache_config(config)?;
        current.context.cache_config.store(config, Relaxed);
        Ok(())
    }

    /// Writes the width of the banks of shared memory, which is 4 bytes.
    fn cuCtxGetSharedMemConfig(config: Out<c_int>) {
        current()?;
        config.set(BANKS_OF_FOUR_BYTES)
    }

    /// Sets the width of the banks of shared memory. This has no effect, as on all devices since compute capability 5.0.
    fn cuCtxSetSharedMemConfig(config: c_int) {
        current()?;
        require_bank_config(config)
    }

    /// Does nothing: the emulator has no cache.
    fn cuCtxResetPersistingL2Cache() {
        current().map(drop)
    }

    /// Writes the range of stream priorities, 0 to 0, as on devices without priorities.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        current()?;
        least.set_if_wanted(0)?;
        greatest.set_if_wanted(0)
    }
}
