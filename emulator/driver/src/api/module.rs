//! Modules: PTX text that contains functions and variables.

use super::ptx_image::{load, ptx_text};
use super::range::DevicePointer;
use crate::arguments::{In, Out, Text};
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid};
use crate::state::current::current;
use crate::state::{Context, Driver, Function, Handle, Instances, LoadedModule};
use emulator::Module;
use std::ffi::{c_char, c_int, c_uint};
use std::ptr::without_provenance_mut;
use std::sync::Arc;

/// Loads a module into `context`, or for all contexts if that is null. Returns notes on the kernels that are not supported.
fn load_image(
    driver: &Driver,
    context: Handle<Context>,
    handle: Out<Handle<LoadedModule>>,
    image: impl FnOnce() -> Outcome<Vec<u8>>,
) -> Outcome<String> {
    handle.require()?;
    let text = ptx_text(image()?)?;
    // A library belongs to no device, and is loaded on the first one initially.
    let home = driver.contexts.find(context).map_or(0, |context| context.device);
    let module = load(driver, &driver.devices[home as usize], &text)?;
    let module = Arc::new(Instances::new(text, home, module));
    let notes = module.first.refusals().map(|(name, error)| format!("kernel `{name}`: {error}\n")).collect();
    let functions = module.first.kernels().iter().map(|kernel| Function::new(context, kernel, &module));
    let functions = functions.map(|function| driver.functions.insert(function)).collect();
    let loaded = driver.modules.insert(LoadedModule { context, module, functions });
    if context != Handle::NULL && driver.contexts.find(context).is_none() {
        // Another thread has destroyed the context in the meantime, and possibly before the module was inserted.
        let _taken = unload(driver, loaded);
        return Err(CUresult::CONTEXT_IS_DESTROYED.because(format!("context {context:?} has been destroyed")));
    }
    handle.set(loaded)?;
    Ok(notes)
}

/// Reads a file up to its first NUL, like an image in memory.
pub(super) fn read_file(path: &str) -> Outcome<Vec<u8>> {
    let unreadable = |error| CUresult::FILE_NOT_FOUND.because(format!("{path}: {error}"));
    let mut image = std::fs::read(path).map_err(unreadable)?;
    image.truncate(image.iter().position(|&byte| byte == 0).unwrap_or(image.len()));
    Ok(image)
}

/// A log buffer among the compiler options.
struct Log {
    buffer: Out<c_char>,
    capacity: usize,
    /// The option value that is the capacity on entry and the length of the text on return.
    length: Out<*mut c_char>,
}

impl Log {
    fn write(&self, text: &str) -> Outcome {
        // SAFETY: the caller passes the length of its buffer as another option.
        let length = unsafe { self.buffer.set_text(text, self.capacity) };
        self.length.set(without_provenance_mut(length))
    }
}

/// `CU_JIT_…_LOG_BUFFER`. The option for the size of the buffer has the next number.
const INFO_LOG: c_int = 3;
const ERROR_LOG: c_int = 5;

/// `CU_JIT_NUM_OPTIONS` of CUDA 12.8: all option numbers are smaller.
const JIT_OPTIONS: c_int = 34;

/// Returns the buffer of the log `option`, `None` if the caller passes none.
fn log(option: c_int, numbers: &[c_int], values: Out<*mut c_char>) -> Outcome<Option<Log>> {
    let position = |wanted| numbers.iter().position(|&number| number == wanted);
    let Some(buffer) = position(option) else { return Ok(None) };
    let missing = || invalid("a log buffer is passed without the option for its size");
    let size = position(option + 1).ok_or_else(missing)?;
    // SAFETY: there are as many values as numbers.
    let values_read = unsafe { values.as_input().list(numbers.len()) }?;
    // SAFETY: as above, and `list` fails for null.
    let length = unsafe { values.element(size) };
    Ok(Some(Log { buffer: Out::buffer(values_read[buffer]), capacity: values_read[size].addr(), length }))
}

/// Fails for unknown compiler options.
fn require_options(numbers: &[c_int]) -> Outcome {
    let unknown = |number| invalid(format!("CUDA 12.8 has no compiler option {number}"));
    numbers.iter().find(|number| !(0..JIT_OPTIONS).contains(*number)).map_or(Ok(()), |&number| Err(unknown(number)))
}

/// Checks the options of a linker and clears the log buffers among them.
pub(super) fn clear_logs(numbers: &[c_int], values: Out<*mut c_char>) -> Outcome {
    require_options(numbers)?;
    let logs = [log(ERROR_LOG, numbers, values)?, log(INFO_LOG, numbers, values)?];
    logs.iter().flatten().try_for_each(|log| log.write(""))
}

/// Loads a module into `context`, or for all contexts if that is null, and fills the log buffers among the options.
pub(super) fn load_with_options(
    driver: &Driver,
    context: Handle<Context>,
    handle: Out<Handle<LoadedModule>>,
    image: impl FnOnce() -> Outcome<Vec<u8>>,
    numbers: &[c_int],
    values: Out<*mut c_char>,
) -> Outcome {
    require_options(numbers)?;
    let errors = log(ERROR_LOG, numbers, values)?;
    let notes = log(INFO_LOG, numbers, values)?;
    let outcome = load_image(driver, context, handle, image);
    let detail = outcome.as_ref().err().and_then(|error| error.detail.clone()).unwrap_or_default();
    errors.map_or(Ok(()), |log| log.write(&detail))?;
    notes.map_or(Ok(()), |log| log.write(outcome.as_deref().unwrap_or_default()))?;
    outcome.map(drop)
}

/// Removes a module and its functions.
pub(super) fn unload(driver: &Driver, module: Handle<LoadedModule>) -> Outcome {
    for &function in &driver.modules.remove(module)?.functions {
        // It may be gone already, if another thread has destroyed the context.
        let _gone = driver.functions.remove(function);
    }
    Ok(())
}

/// Writes the function with a name. Fails for an unsupported kernel, which does not prevent the module from loading, so that
/// its other kernels can run.
pub(super) fn find_function(function: Out<Handle<Function>>, record: &LoadedModule, name: Text) -> Outcome {
    let name = name.name()?;
    let kernels = record.module.first.kernels();
    let unknown = || {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
        CUresult::NOT_FOUND.because(format!("the module has no kernel {name}; its kernels are: {}", names.join(", ")))
    };
    if let Some(refusal) = record.module.first.refusal(&name) {
        return Err(CUresult::INVALID_PTX.because(refusal));
    }
    let index = kernels.iter().position(|kernel| kernel.name() == name).ok_or_else(unknown)?;
    function.set(record.functions[index])
}

/// Writes the address and size in bytes of a variable. Fails if both outputs are null.
pub(super) fn find_variable(address: Out<DevicePointer>, bytes: Out<usize>, module: &Module, name: Text) -> Outcome {
    if address.is_null() && bytes.is_null() {
        address.require()?;
    }
    let name = name.name()?;
    let unknown = || CUresult::NOT_FOUND.because(format!("the module has no variable {name}"));
    let variable = module.variable(&name).ok_or_else(unknown)?;
    address.set_if_wanted(variable.address)?;
    bytes.set_if_wanted(variable.bytes as usize)
}

api! {
    /// Loads a module from NUL-terminated PTX text. Fat binaries are refused.
    fn cuModuleLoadData(module: Out<Handle<LoadedModule>>, image: Text) | cuModuleLoadFatBinary {
        let current = current()?;
        load_image(current.driver, current.handle, module, || image.bytes()).map(drop)
    }

    /// Loads a module from NUL-terminated PTX text. Fills the log buffers among the options. Other options have no effect,
    /// because nothing is compiled to machine code.
    fn cuModuleLoadDataEx(
        module: Out<Handle<LoadedModule>>,
        image: Text,
        count: c_uint,
        options: In<c_int>,
        values: Out<*mut c_char>,
    ) {
        // SAFETY: the caller passes `count` options.
        let numbers = unsafe { options.list(count as usize) }?;
        let current = current()?;
        load_with_options(current.driver, current.handle, module, || image.bytes(), &numbers, values)
    }

    /// Loads a module from a file of PTX text.
    fn cuModuleLoad(module: Out<Handle<LoadedModule>>, path: Text) {
        let current = current()?;
        let path = path.name()?;
        load_image(current.driver, current.handle, module, || read_file(&path)).map(drop)
    }

    /// Unloads a module, its functions and its variables.
    fn cuModuleUnload(module: Handle<LoadedModule>) {
        let current = current()?;
        current.context.synchronize()?;
        let context = current.driver.modules.get(module)?.context;
        CUresult::INVALID_HANDLE.unless(
            context != Handle::NULL,
            "the module belongs to a library: unload the library",
        )?;
        unload(current.driver, module)
    }

    /// Writes the function with a name. Fails for an unsupported kernel, which does not prevent the module from loading, so
    /// that its other kernels can run.
    fn cuModuleGetFunction(function: Out<Handle<Function>>, module: Handle<LoadedModule>, name: Text) {
        find_function(function, &*current()?.driver.modules.get(module)?, name)
    }

    /// Writes the address and size in bytes of a variable in global or constant memory.
    fn cuModuleGetGlobal_v2(
        address: Out<DevicePointer>,
        bytes: Out<usize>,
        module: Handle<LoadedModule>,
        name: Text,
    ) {
        let current = current()?;
        find_variable(address, bytes, &*current.module(module)?, name)
    }
}
