//! Modules: PTX text in, functions and variables out.

use super::memory::DevicePointer;
use crate::arguments::{In, Out, Text};
use crate::boundary::api;
use crate::limits::{COMPUTE_CAPABILITY, PTX_VERSION};
use crate::result::{CUresult, Error, Outcome};
use crate::state::current::current;
use crate::state::{Context, Driver, Function, Handle, Instances, LoadedModule};
use emulator::{LoadError, Memory, Module};
use std::ffi::{c_char, c_int, c_uint};
use std::ptr::without_provenance_mut;
use std::sync::Arc;

/// First bytes of images that hold machine code: a cubin is an ELF file, a fat binary has a header of its own.
const MACHINE_CODE: [&[u8]; 2] = [b"\x7fELF", b"\x50\xed\x55\xba"];

/// The directive that every PTX text begins with, after comments.
const PTX_MARK: &str = ".version";

/// Returns the image as PTX text; fails for other formats.
pub(super) fn ptx_text(image: Vec<u8>) -> Outcome<String> {
    if MACHINE_CODE.iter().any(|start| image.starts_with(start)) {
        let detail =
            "the image holds machine code of a GPU; the emulator runs PTX (compile with --gpu-architecture=compute_XX)";
        return Err(CUresult::NO_BINARY_FOR_GPU.because(detail));
    }
    let foreign = || CUresult::INVALID_IMAGE.because(format!("the image is no PTX text: it lacks {PTX_MARK}"));
    String::from_utf8(image).ok().filter(|text| text.contains(PTX_MARK)).ok_or_else(foreign)
}

/// Loads PTX text and checks that it is for this device or an older one.
fn load(memory: &Arc<Memory>, ptx: &str) -> Outcome<Module> {
    let module = Module::load(ptx, memory).map_err(|error| match error {
        LoadError::Memory(error) => Error::from(error),
        error => CUresult::INVALID_PTX.because(error),
    })?;
    let (version, target) = (module.ptx_version(), module.target());
    if version > PTX_VERSION {
        let [theirs, ours] = [version, PTX_VERSION].map(|version| format!("{}.{}", version / 10, version % 10));
        let detail = format!("the PTX is of version {theirs}; the emulator knows it up to {ours}");
        return Err(CUresult::UNSUPPORTED_PTX_VERSION.because(detail));
    }
    if target > COMPUTE_CAPABILITY {
        let detail = format!("the PTX is for sm_{target}; this device is an sm_{COMPUTE_CAPABILITY}");
        return Err(CUresult::INVALID_PTX.because(detail));
    }
    Ok(module)
}

/// Loads a module into `context`, or for all contexts if that is null. Returns what there is to say about it: kernels that
/// will be refused.
fn load_image(
    driver: &Driver,
    context: Handle<Context>,
    handle: Out<Handle<LoadedModule>>,
    image: impl FnOnce() -> Outcome<Vec<u8>>,
) -> Outcome<String> {
    handle.require()?;
    let text = ptx_text(image()?)?;
    // A library belongs to no device; it begins on the first.
    let home = driver.contexts.find(context).map_or(0, |context| context.device);
    let module = load(&driver.devices[home as usize].memory, &text)?;
    let module = Arc::new(Instances::new(text, home, module));
    let notes = module.first.refusals().map(|(name, error)| format!("kernel `{name}`: {error}\n")).collect();
    let functions = module.first.kernels().iter().map(|kernel| Function::new(context, kernel, &module));
    let functions = functions.map(|function| driver.functions.insert(function)).collect();
    let loaded = driver.modules.insert(LoadedModule { context, module, functions });
    if context != Handle::NULL && driver.contexts.find(context).is_none() {
        // Another thread has destroyed the context meanwhile, and maybe taken the module away; nobody else will.
        let _taken = unload(driver, loaded);
        return Err(CUresult::CONTEXT_IS_DESTROYED.because(format!("context {context:?} has been destroyed")));
    }
    handle.set(loaded)?;
    Ok(notes)
}

/// Reads a file up to its first NUL, as an image in memory would be read.
pub(super) fn read_file(path: &str) -> Outcome<Vec<u8>> {
    let unreadable = |error| CUresult::FILE_NOT_FOUND.because(format!("{path}: {error}"));
    let mut image = std::fs::read(path).map_err(unreadable)?;
    image.truncate(image.iter().position(|&byte| byte == 0).unwrap_or(image.len()));
    Ok(image)
}

/// A text buffer that the caller gave among the options of the compiler.
struct Log {
    buffer: Out<c_char>,
    capacity: usize,
    /// Option value that holds the capacity, and afterwards the length of the text.
    length: Out<*mut c_char>,
}

impl Log {
    fn write(&self, text: &str) -> Outcome {
        // SAFETY: the caller gives the length of its buffer by the option that goes with it.
        let length = unsafe { self.buffer.set_text(text, self.capacity) };
        self.length.set(without_provenance_mut(length))
    }
}

/// `CU_JIT_…_LOG_BUFFER`; the option with the size of the buffer has the next number.
const INFO_LOG: c_int = 3;
const ERROR_LOG: c_int = 5;

/// `CU_JIT_NUM_OPTIONS` of CUDA 12.8: option numbers are below it.
const JIT_OPTIONS: c_int = 34;

/// Returns the buffer for the log `option`, `None` if the caller gives none.
fn log(option: c_int, numbers: &[c_int], values: Out<*mut c_char>) -> Outcome<Option<Log>> {
    let position = |wanted| numbers.iter().position(|&number| number == wanted);
    let Some(buffer) = position(option) else { return Ok(None) };
    let missing = || CUresult::INVALID_VALUE.because("a log buffer without the option that gives its size");
    let size = position(option + 1).ok_or_else(missing)?;
    // SAFETY: there are as many values as numbers, and both positions are of numbers.
    let values_read = unsafe { values.as_input().list(numbers.len()) }?;
    // SAFETY: as before; `list` has failed for null.
    let length = unsafe { values.element(size) };
    Ok(Some(Log { buffer: Out::buffer(values_read[buffer]), capacity: values_read[size].addr(), length }))
}

/// Fails for compiler options that do not exist.
fn require_options(numbers: &[c_int]) -> Outcome {
    let unknown = |number| CUresult::INVALID_VALUE.because(format!("CUDA 12.8 has no compiler option {number}"));
    numbers.iter().find(|number| !(0..JIT_OPTIONS).contains(*number)).map_or(Ok(()), |&number| Err(unknown(number)))
}

/// Checks the options of a linker, and leaves the log buffers among them empty.
pub(super) fn clear_logs(numbers: &[c_int], values: Out<*mut c_char>) -> Outcome {
    require_options(numbers)?;
    let logs = [log(ERROR_LOG, numbers, values)?, log(INFO_LOG, numbers, values)?];
    logs.iter().flatten().try_for_each(|log| log.write(""))
}

/// Loads a module as `cuModuleLoadDataEx` does, into `context`, or for all contexts if that is null.
pub(super) fn load_with_options(
    driver: &Driver,
    context: Handle<Context>,
    handle: Out<Handle<LoadedModule>>,
    image: impl FnOnce() -> Outcome<Vec<u8>>,
    numbers: &[c_int],
    values: Out<*mut c_char>,
) -> Outcome {
    require_options(numbers)?;
    let (errors, notes) = (log(ERROR_LOG, numbers, values)?, log(INFO_LOG, numbers, values)?);
    let outcome = load_image(driver, context, handle, image);
    let detail = outcome.as_ref().err().and_then(|error| error.detail.clone()).unwrap_or_default();
    errors.map_or(Ok(()), |log| log.write(&detail))?;
    notes.map_or(Ok(()), |log| log.write(outcome.as_deref().unwrap_or_default()))?;
    outcome.map(drop)
}

/// Takes a module away with its functions.
pub(super) fn unload(driver: &Driver, module: Handle<LoadedModule>) -> Outcome {
    for &function in &driver.modules.remove(module)?.functions {
        // It may have gone with its context, which another thread has destroyed.
        let _gone = driver.functions.remove(function);
    }
    Ok(())
}

/// Writes the function of a name. A kernel that the emulator does not execute is refused here and not when its module is
/// loaded, so that the others of the module run.
pub(super) fn find_function(function: Out<Handle<Function>>, record: &LoadedModule, name: Text) -> Outcome {
    let name = name.name()?;
    let kernels = record.module.first.kernels();
    let unknown = || {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
        CUresult::NOT_FOUND.because(format!("the module has no kernel {name}; it has: {}", names.join(", ")))
    };
    if let Some(refusal) = record.module.first.refusal(&name) {
        return Err(CUresult::INVALID_PTX.because(refusal));
    }
    let index = kernels.iter().position(|kernel| kernel.name() == name).ok_or_else(unknown)?;
    function.set(record.functions[index])
}

/// Writes the address and the size in bytes of a variable, at least one of which is asked for.
pub(super) fn find_variable(address: Out<DevicePointer>, bytes: Out<usize>, module: &Module, name: Text) -> Outcome {
    if address.is_null() && bytes.is_null() {
        address.require()?;
    }
    let name = name.name()?;
    let unknown = || CUresult::NOT_FOUND.because(format!("the module has no variable {name}"));
    let variable = module.variable(&name).ok_or_else(unknown)?;
    address.set_if_wanted(variable.address);
    bytes.set_if_wanted(variable.bytes as usize);
    Ok(())
}

api! {
    /// Loads a module from PTX text that ends with NUL.
    fn cuModuleLoadData(module: Out<Handle<LoadedModule>>, image: Text) {
        let current = current()?;
        load_image(current.driver, current.handle, module, || image.bytes()).map(drop)
    }

    /// Loads a module from PTX text that ends with NUL. Of the compiler's options the log buffers are served; the
    /// others change nothing, since nothing is compiled to machine code.
    fn cuModuleLoadDataEx(
        module: Out<Handle<LoadedModule>>,
        image: Text,
        count: c_uint,
        options: In<c_int>,
        values: Out<*mut c_char>,
    ) {
        // SAFETY: the caller gives `count` options.
        let numbers = unsafe { options.list(count as usize) }?;
        let current = current()?;
        load_with_options(current.driver, current.handle, module, || image.bytes(), &numbers, values)
    }

    /// Loads a module from a file of PTX text.
    fn cuModuleLoad(module: Out<Handle<LoadedModule>>, path: Text) {
        let (current, path) = (current()?, path.name()?);
        load_image(current.driver, current.handle, module, || read_file(&path)).map(drop)
    }

    /// Unloads a module with its functions and variables.
    fn cuModuleUnload(module: Handle<LoadedModule>) {
        let current = current()?;
        current.context.synchronize()?;
        if current.driver.modules.get(module)?.context == Handle::NULL {
            return Err(CUresult::INVALID_HANDLE.because("the module of a library: unload the library"));
        }
        unload(current.driver, module)
    }

    /// Writes the function of a name. A kernel that the emulator does not execute is refused here and not when its module is
/// loaded, so that the others of the module run.
    fn cuModuleGetFunction(function: Out<Handle<Function>>, module: Handle<LoadedModule>, name: Text) {
        find_function(function, &*current()?.driver.modules.get(module)?, name)
    }

    /// Writes the address and the size in bytes of a variable in global or constant memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_with_a_version_is_ptx() {
        let code = |image: &[u8]| ptx_text(image.to_vec()).map_err(|error| error.code);
        assert_eq!(code(b"// c\n.version 8.1\n"), Ok("// c\n.version 8.1\n".to_owned()));
        assert_eq!(code(b""), Err(CUresult::INVALID_IMAGE));
        assert_eq!(code(b".version 8.1 \xff"), Err(CUresult::INVALID_IMAGE));
        assert_eq!(code(b"\x7fELF\x02"), Err(CUresult::NO_BINARY_FOR_GPU));
        assert_eq!(code(b"\x50\xed\x55\xba\x01"), Err(CUresult::NO_BINARY_FOR_GPU));
    }
}
