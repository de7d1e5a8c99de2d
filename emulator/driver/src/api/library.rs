//! Libraries: modules that belong to no context, and whose kernels run in any context.
//!
//! A library is a [`LoadedModule`] of the null context, with separate variables on each device. Its kernels are functions of
//! the null context, so a kernel and its function have the same handle.

use super::device::{Device, require_device};
use super::function::{attribute, set_attribute};
use super::module;
use super::range::DevicePointer;
use crate::arguments::{In, Out, Text};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::current::current;
use crate::state::{Driver, Function, Handle, LoadedModule, driver};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Returns a library. Fails for a module of a context.
fn library(driver: &Driver, handle: Handle<LoadedModule>) -> Outcome<std::sync::Arc<LoadedModule>> {
    let record = driver.modules.get(handle)?;
    let other = || CUresult::INVALID_HANDLE.because("the handle is of a module, not of a library");
    if record.context == Handle::NULL { Ok(record) } else { Err(other()) }
}

/// The number of library options. `CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE` and `CU_LIBRARY_BINARY_IS_PRESERVED`
/// have no effect on PTX, which is copied.
const LIBRARY_OPTIONS: c_int = 2;

/// The options of the compiler and of the loader.
struct LoadOptions {
    numbers: In<c_int>,
    values: Out<*mut c_char>,
    count: c_uint,
    library_numbers: In<c_int>,
    library_count: c_uint,
}

fn load(target: Out<Handle<LoadedModule>>, image: impl FnOnce() -> Outcome<Vec<u8>>, options: &LoadOptions) -> Outcome {
    let driver = driver()?;
    // SAFETY: the caller passes `count` options of the compiler.
    let numbers = unsafe { options.numbers.list(options.count as usize) }?;
    // SAFETY: the caller passes `library_count` options of the loader.
    let library_numbers = unsafe { options.library_numbers.list(options.library_count as usize) }?;
    if let Some(unknown) = library_numbers.iter().find(|number| !(0..LIBRARY_OPTIONS).contains(*number)) {
        return Err(invalid(format!("CUDA 12.8 has no library option {unknown}")));
    }
    module::load_with_options(driver, Handle::NULL, target, image, &numbers, options.values)
}

api! {
    /// Loads a library from NUL-terminated PTX text. Compiler options are treated as in `cuModuleLoadDataEx`.
    fn cuLibraryLoadData(
        library: Out<Handle<LoadedModule>>,
        image: Text,
        numbers: In<c_int>,
        values: Out<*mut c_char>,
        count: c_uint,
        library_numbers: In<c_int>,
        _library_values: *mut c_void,
        library_count: c_uint,
    ) {
        load(library, || image.bytes(), &LoadOptions { numbers, values, count, library_numbers, library_count })
    }

    /// Loads a library from a file of PTX text.
    fn cuLibraryLoadFromFile(
        library: Out<Handle<LoadedModule>>,
        path: Text,
        numbers: In<c_int>,
        values: Out<*mut c_char>,
        count: c_uint,
        library_numbers: In<c_int>,
        _library_values: *mut c_void,
        library_count: c_uint,
    ) {
        let path = path.name()?;
        let options = LoadOptions { numbers, values, count, library_numbers, library_count };
        load(library, || module::read_file(&path), &options)
    }

    /// Unloads a library, its kernels and its variables.
    fn cuLibraryUnload(library: Handle<LoadedModule>) {
        let driver = driver()?;
        self::library(driver, library)?;
        module::unload(driver, library)
    }

    /// Writes the kernel with a name.
    fn cuLibraryGetKernel(kernel: Out<Handle<Function>>, library: Handle<LoadedModule>, name: Text) {
        module::find_function(kernel, &*self::library(driver()?, library)?, name)
    }

    /// Writes the number of kernels.
    fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Handle<LoadedModule>) {
        count.set(self::library(driver()?, library)?.functions.len() as c_uint)
    }

    /// Writes up to `count` kernels.
    fn cuLibraryEnumerateKernels(kernels: Out<Handle<Function>>, count: c_uint, library: Handle<LoadedModule>) {
        let library = self::library(driver()?, library)?;
        kernels.require()?;
        for (index, &function) in library.functions.iter().take(count as usize).enumerate() {
            // SAFETY: the caller's array has `count` elements, and `index` is below that.
            unsafe { kernels.element(index) }.set(function)?;
        }
        Ok(())
    }

    /// Writes the module of a library in the current context, which is the library itself.
    fn cuLibraryGetModule(module: Out<Handle<LoadedModule>>, library: Handle<LoadedModule>) {
        self::library(current()?.driver, library)?;
        module.set(library)
    }

    /// Writes the address and size in bytes of a variable in global or constant memory.
    fn cuLibraryGetGlobal(address: Out<DevicePointer>, bytes: Out<usize>, library: Handle<LoadedModule>, name: Text) {
        let current = current()?;
        self::library(current.driver, library)?;
        module::find_variable(address, bytes, &*current.module(library)?, name)
    }

    /// Writes the function of a kernel in the current context, which is the kernel itself.
    fn cuKernelGetFunction(function: Out<Handle<Function>>, kernel: Handle<Function>) {
        current()?.driver.functions.get(kernel)?;
        function.set(kernel)
    }

    /// Writes the library of a kernel.
    fn cuKernelGetLibrary(library: Out<Handle<LoadedModule>>, kernel: Handle<Function>) {
        let driver = driver()?;
        driver.functions.get(kernel)?;
        let unknown = || CUresult::INVALID_HANDLE.because("the handle is of a function, not of a library's kernel");
        let of_kernel = |record: &LoadedModule| record.context == Handle::NULL && record.functions.contains(&kernel);
        library.set(driver.modules.position(of_kernel).ok_or_else(unknown)?)
    }

    /// Writes the name of a kernel. The text lives until the library is unloaded.
    fn cuKernelGetName(name: Out<*const c_char>, kernel: Handle<Function>) {
        require(kernel != Handle::NULL, "the kernel is null")?;
        name.set(driver()?.functions.get(kernel)?.name.as_ptr())
    }

    /// Writes an attribute of a kernel, as `cuFuncGetAttribute` does.
    fn cuKernelGetAttribute(value: Out<c_int>, number: c_int, kernel: Handle<Function>, device: Device) {
        let chip = &require_device(device)?.properties.chip;
        value.set(attribute(&*driver()?.functions.get(kernel)?, number, chip)?)
    }

    /// Sets an attribute of a kernel, as `cuFuncSetAttribute` does.
    fn cuKernelSetAttribute(number: c_int, value: c_int, kernel: Handle<Function>, device: Device) {
        let chip = &require_device(device)?.properties.chip;
        set_attribute(&*driver()?.functions.get(kernel)?, number, value, chip)
    }

    /// Sets the cache preference of a kernel. This has no effect, because the emulator has no cache.
    fn cuKernelSetCacheConfig(kernel: Handle<Function>, config: c_int, device: Device) {
        require_device(device)?;
        driver()?.functions.get(kernel)?;
        super::context::require_cache_config(config)
    }

    /// Writes the offset and size in bytes of a parameter in the parameter block.
    fn cuKernelGetParamInfo(kernel: Handle<Function>, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        super::function::parameter(&*driver()?.functions.get(kernel)?, index, offset, bytes)
    }
}
