//! Functions and their attributes.

use super::context::require_cache_config;
use crate::arguments::Out;
use crate::boundary::api;
use crate::device_properties::Chip;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::current;
use crate::state::{Function, Handle, LoadedModule, driver};
use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering::Relaxed;

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MAX_DYNAMIC_SHARED_BYTES: c_int = 8;
/// `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
const SHARED_CARVEOUT: c_int = 9;

/// `CU_FUNCTION_LOADING_STATE_LOADED`.
const LOADED: c_int = 1;

/// Returns an attribute on a chip by its number in CUDA 12.8. Fails for an unknown number.
pub(super) fn attribute(function: &Function, number: c_int, chip: &Chip) -> Outcome<c_int> {
    let kernel = &function.kernel;
    let resources = function.resources();
    Ok(match number {
        // MAX_THREADS_PER_BLOCK
        0 => kernel.max_threads_per_block() as c_int,
        // SHARED_SIZE_BYTES, CONST_SIZE_BYTES, LOCAL_SIZE_BYTES
        1 => kernel.static_shared_bytes() as c_int,
        2 => kernel.constant_bytes() as c_int,
        3 => kernel.local_bytes() as c_int,
        // NUM_REGS
        4 => resources.registers_per_thread() as c_int,
        // PTX_VERSION, which is the virtual architecture, not the version of the PTX language
        5 => kernel.target() as c_int,
        // BINARY_VERSION
        6 => chip.capability as c_int,
        MAX_DYNAMIC_SHARED_BYTES => function.max_dynamic_shared_bytes() as c_int,
        SHARED_CARVEOUT => function.shared_carveout.load(Relaxed),
        // CLUSTER_SIZE_MUST_BE_SET, REQUIRED_CLUSTER_WIDTH, HEIGHT, DEPTH
        10 => c_int::from(kernel.required_cluster().is_some()),
        11 => kernel.required_cluster().map_or(0, |cluster| cluster.x as c_int),
        12 => kernel.required_cluster().map_or(0, |cluster| cluster.y as c_int),
        13 => kernel.required_cluster().map_or(0, |cluster| cluster.z as c_int),
        // CACHE_MODE_CA, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, CLUSTER_SCHEDULING_POLICY_PREFERENCE
        7 | 14 | 15 => 0,
        _ => return Err(invalid(format!("CUDA 12.8 has no function attribute {number}"))),
    })
}

/// Sets an attribute on a chip by its number. Fails for read-only attributes.
pub(super) fn set_attribute(function: &Function, number: c_int, value: c_int, chip: &Chip) -> Outcome {
    match number {
        MAX_DYNAMIC_SHARED_BYTES => function.allow_dynamic_shared_bytes(value, chip),
        SHARED_CARVEOUT if (-1..=100).contains(&value) => {
            function.shared_carveout.store(value, Relaxed);
            Ok(())
        }
        SHARED_CARVEOUT => Err(invalid(format!("a carveout of {value} percent: must be from -1 to 100"))),
        11..=15 => {
            let detail = "sizes of clusters are in the kernel or in the launch, and at most 8 blocks";
            Err(CUresult::NOT_SUPPORTED.because(detail))
        }
        _ => Err(invalid(format!("function attribute {number} cannot be set"))),
    }
}

/// Writes the offset and size in bytes of a parameter in the parameter block.
pub(super) fn parameter(function: &Function, index: usize, offset: Out<usize>, bytes: Out<usize>) -> Outcome {
    offset.require()?;
    let name = function.kernel.name();
    let unknown = || invalid(format!("{name} has no parameter {index}"));
    let parameter = function.kernel.parameters().get(index).ok_or_else(unknown)?;
    offset.set(parameter.offset)?;
    bytes.set_if_wanted(parameter.bytes)
}

api! {
    /// Writes an attribute of a function. The number of registers is an estimate of what ptxas allocates.
    fn cuFuncGetAttribute(value: Out<c_int>, number: c_int, function: Handle<Function>) {
        let current = current()?;
        value.set(attribute(&*current.driver.functions.get(function)?, number, current.chip())?)
    }

    /// Sets an attribute of a function: the maximum dynamic shared memory, or the carveout, which is a hint without effect.
    fn cuFuncSetAttribute(function: Handle<Function>, number: c_int, value: c_int) {
        let current = current()?;
        set_attribute(&*current.driver.functions.get(function)?, number, value, current.chip())
    }

    /// Sets the cache preference of a function. This has no effect, because the emulator has no cache.
    fn cuFuncSetCacheConfig(function: Handle<Function>, config: c_int) {
        current()?.driver.functions.get(function)?;
        require_cache_config(config)
    }

    /// Sets the width of the banks of shared memory for a function. This has no effect, as on all devices since compute capability 5.0.
    fn cuFuncSetSharedMemConfig(function: Handle<Function>, config: c_int) {
        current()?.driver.functions.get(function)?;
        super::context::require_bank_config(config)
    }

    /// Writes that a function is loaded, as every function is once its module is.
    fn cuFuncIsLoaded(state: Out<c_int>, function: Handle<Function>) {
        current()?.driver.functions.get(function)?;
        state.set(LOADED)
    }

    /// Does nothing: every function is loaded with its module.
    fn cuFuncLoad(function: Handle<Function>) {
        current()?.driver.functions.get(function).map(drop)
    }

    /// Writes the module of a function.
    fn cuFuncGetModule(module: Out<Handle<LoadedModule>>, function: Handle<Function>) {
        let driver = current()?.driver;
        driver.functions.get(function)?;
        let unknown = || CUresult::INVALID_HANDLE.because("the function's module has been unloaded");
        module.set(driver.modules.position(|module| module.functions.contains(&function)).ok_or_else(unknown)?)
    }

    /// Writes the number of a function's parameters.
    fn cuFuncGetParamCount(function: Handle<Function>, count: Out<usize>) | cuKernelGetParamCount {
        count.set(driver()?.functions.get(function)?.kernel.parameters().len())
    }

    /// Writes the name of a function. The text lives until the module is unloaded.
    fn cuFuncGetName(name: Out<*const c_char>, function: Handle<Function>) {
        require(function != Handle::NULL, "the function is null")?;
        name.set(current()?.driver.functions.get(function)?.name.as_ptr())
    }

    /// Writes the offset and size in bytes of a parameter in the parameter block.
    fn cuFuncGetParamInfo(function: Handle<Function>, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        parameter(&*current()?.driver.functions.get(function)?, index, offset, bytes)
    }
}
