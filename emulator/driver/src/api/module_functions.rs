//! The contents of a module, and how it is loaded.

use crate::arguments::Out;
use crate::boundary::api;
use crate::state::current::current;
use crate::state::{Function, Handle, LoadedModule, driver};
use std::ffi::{c_int, c_uint};

/// `CU_MODULE_LAZY_LOADING`, the mode of NVIDIA's drivers since CUDA 12.2 unless the program's environment sets another.
const LAZY: c_int = 2;

api! {
    /// Writes when a kernel is loaded: only when it is looked up, because an unsupported kernel is refused then.
    fn cuModuleGetLoadingMode(mode: Out<c_int>) {
        driver()?;
        mode.set(LAZY)
    }

    /// Writes the number of a module's functions.
    fn cuModuleGetFunctionCount(count: Out<c_uint>, module: Handle<LoadedModule>) {
        count.set(current()?.driver.modules.get(module)?.functions.len() as c_uint)
    }

    /// Writes up to `count` functions of a module.
    fn cuModuleEnumerateFunctions(functions: Out<Handle<Function>>, count: c_uint, module: Handle<LoadedModule>) {
        let module = current()?.driver.modules.get(module)?;
        functions.require()?;
        for (index, &function) in module.functions.iter().take(count as usize).enumerate() {
            // SAFETY: the caller's array has `count` elements, and `index` is below that.
            unsafe { functions.element(index) }.set(function)?;
        }
        Ok(())
    }
}
