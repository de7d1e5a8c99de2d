//! Launches a kernel of a PTX file through the CUDA driver, with the options of `cargo x check`: what compute-sanitizer
//! watches to give the verdicts of `emulator/tests/faults/compute-sanitizer.json`.

#[path = "../src/check/request.rs"]
mod request;

use clap::Parser;
use cudarc::driver::{DriverError, result};
use kernel_file::{Argument, Buffer};
use request::Request;
use std::error::Error;
use std::ffi::{CString, c_void};

#[derive(Parser)]
struct Options {
    #[command(flatten)]
    request: Request,
}

fn main() -> Result<(), Box<dyn Error>> {
    let request = Options::parse().request;
    let ptx = CString::new(std::fs::read_to_string(&request.file)?)?;
    result::init()?;
    let device = result::device::get(0)?;
    // SAFETY: the device exists, and its primary context stays retained until the process ends.
    unsafe { result::ctx::set_current(result::primary_ctx::retain(device)?)? };
    // SAFETY: the image is a text that ends with a zero.
    let module = unsafe { result::module::load_data(ptx.as_ptr().cast())? };
    // SAFETY: the module is loaded and stays so.
    let function = unsafe { result::module::get_function(module, CString::new(request.kernel.as_str())?)? };
    let mut values = Vec::new();
    for (index, argument) in request.arguments.iter().enumerate() {
        values.push(match argument {
            Argument::Value(bytes) => bytes.clone(),
            Argument::Buffer(buffer) => upload(buffer, index as u64)?.to_le_bytes().into(),
        });
    }
    let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
    let [grid, block] = [request.grid, request.block].map(|[x, y, z]| (x, y, z));
    let launch = if request.cooperative { result::launch_cooperative_kernel } else { result::launch_kernel };
    // SAFETY: the files of the collection give an argument of the right size for each parameter. What the kernel does
    // wrong on the device is what this program is for, and touches nothing of this process.
    unsafe { launch(function, grid, block, request.shared, std::ptr::null_mut(), &mut pointers)? };
    result::ctx::synchronize()?;
    println!("completed");
    Ok(())
}

/// Allocates plainly, without a pool, so that bounds are those of the buffer.
fn upload(buffer: &Buffer, seed: u64) -> Result<u64, DriverError> {
    // SAFETY: a context is current.
    let address = unsafe { result::malloc_sync(buffer.bytes() as usize)? };
    if let Some(contents) = buffer.contents(seed) {
        // SAFETY: the allocation has as many bytes as the contents.
        unsafe { result::memcpy_htod_sync(address, &contents)? };
    }
    if buffer.is_freed() {
        // SAFETY: it was allocated above, and the host uses it no more.
        unsafe { result::free_sync(address)? };
    }
    Ok(address)
}
