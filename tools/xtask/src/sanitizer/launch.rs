//! `cargo x launch`: one launch through the CUDA driver, which compute-sanitizer watches.

use anyhow::{Context, Result};
use cudarc::driver::{DriverError, result};
use judge::kernel_file::{Buffer, Part, Request};
use std::ffi::{CString, c_void};

/// Launches a kernel of a PTX file on the first GPU and prints `completed` once it has ended.
///
/// # Errors
/// Returns an error if the file cannot be read, if there is no GPU, or if the driver reports an error.
pub fn run(request: &Request) -> Result<()> {
    let ptx = CString::new(std::fs::read_to_string(&request.file)?)?;
    result::init()?;
    let device = result::device::get(0)?;
    // SAFETY: the device exists, and its primary context stays retained until the process ends.
    unsafe { result::ctx::set_current(result::primary_ctx::retain(device)?)? };
    // SAFETY: the image is a null-terminated string.
    let module = unsafe { result::module::load_data(ptx.as_ptr().cast())? };
    // SAFETY: the module stays loaded.
    let function = unsafe { result::module::get_function(module, CString::new(request.kernel.as_str())?)? };
    let arguments = || request.arguments.iter().zip(0..).map(|(argument, index)| (Part::argument(index), argument));
    let mut addresses = Vec::new();
    for (part, buffer) in arguments().flat_map(|(part, argument)| argument.buffers(&part)) {
        let address = upload(buffer, part.seed())?;
        addresses.push((part, address));
    }
    let address = |part: &Part| {
        let found = addresses.iter().find(|(placed, _)| placed == part);
        found.map(|(_, address)| *address).with_context(|| format!("@{part}: it is not a buffer"))
    };
    let values = arguments().map(|(part, argument)| argument.bytes(&address, &part));
    let mut values = values.collect::<Result<Vec<_>>>()?;
    let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
    let [grid, block] = [request.grid, request.block].map(|[x, y, z]| (x, y, z));
    let launch = if request.cooperative { result::launch_cooperative_kernel } else { result::launch_kernel };
    // SAFETY: the files of the collection pass an argument of the right size for each parameter. A fault of the kernel on
    // the device, which is what this command provokes, does not touch the memory of this process.
    unsafe { launch(function, grid, block, request.shared, std::ptr::null_mut(), &mut pointers)? };
    result::ctx::synchronize()?;
    println!("completed");
    Ok(())
}

/// Allocates without a memory pool, so that compute-sanitizer knows the bounds of the buffer.
fn upload(buffer: &Buffer, seed: u64) -> Result<u64, DriverError> {
    // SAFETY: a context is current.
    let address = unsafe { result::malloc_sync(buffer.bytes() as usize)? };
    if let Some(contents) = buffer.contents(seed) {
        // SAFETY: the allocation has as many bytes as the contents.
        unsafe { result::memcpy_htod_sync(address, &contents)? };
    }
    if buffer.is_freed() {
        // SAFETY: the buffer was allocated above, and the host does not use it again.
        unsafe { result::free_sync(address)? };
    }
    Ok(address)
}
