//! Shared parts of the tests: the emulator's driver as `libcuda.so`, and helpers on top of cudarc.
//!
//! With `COALESCED_TEST_DRIVER=cuda` the tests use the machine's own driver, to compare their expectations with hardware. A
//! fault disables a real driver for the whole process, so run those tests one per process.

pub mod process;

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use libloading::Library;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, LazyLock};

pub const KERNELS: &str = include_str!("../ptx/kernels.ptx");
pub const FAULTS: &str = include_str!("../ptx/faults.ptx");

/// The emulator's driver, opened before cudarc opens a library of that name.
static EMULATOR: LazyLock<Library> = LazyLock::new(|| {
    let file = loading::beside_program("emulator_driver").unwrap();
    loading::open_as(&file, &loading::file_name("cuda"), "coalesced_last_counters").unwrap()
});

pub fn on_hardware() -> bool {
    std::env::var("COALESCED_TEST_DRIVER").is_ok_and(|driver| driver == "cuda")
}

/// Loads the emulator's driver. Every test calls this, directly or through another function, before it calls cudarc.
pub fn install() {
    if !on_hardware() {
        LazyLock::force(&EMULATOR);
    }
}

/// Returns a new context, current on this thread.
pub fn context() -> Arc<CudaContext> {
    install();
    CudaContext::new_non_primary(0, 0).unwrap()
}

/// Loads PTX text and returns a function of it.
pub fn function(context: &Arc<CudaContext>, ptx: &str, name: &str) -> CudaFunction {
    module(context, ptx).load_function(name).unwrap()
}

pub fn module(context: &Arc<CudaContext>, ptx: &str) -> Arc<CudaModule> {
    context.load_module(Ptx::from_src(ptx)).unwrap_or_else(|error| panic!("{error}: {}", last_error()))
}

/// Returns the configuration of a launch with a one-dimensional grid and block.
pub fn shape(blocks: u32, threads: u32, shared_mem_bytes: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

/// Launches `store` of the module [`FAULTS`] with an address, valid or not.
pub fn store(stream: &Arc<CudaStream>, store: &CudaFunction, address: u64) -> Result<(), DriverError> {
    // SAFETY: an invalid address is a fault of the emulated kernel and does not access memory of this process.
    unsafe { stream.launch_builder(store).arg(&address).launch(shape(1, 1, 0)) }.map(drop)
}

/// Returns the status of a call.
pub fn status<T>(result: Result<T, DriverError>) -> CUresult {
    result.err().map_or(CUresult::CUDA_SUCCESS, |error| error.0)
}

/// Returns the version of the emulator's functions.
pub fn abi_version() -> u32 {
    // SAFETY: the function has this type.
    unsafe { EMULATOR.get::<extern "C" fn() -> u32>("coalesced_abi_version").unwrap()() }
}

/// Returns the text that a function of the emulator writes.
fn text(name: &str) -> String {
    // SAFETY: the callers name functions of this type.
    let write = unsafe { EMULATOR.get::<unsafe extern "C" fn(*mut c_char, usize) -> usize>(name) }.unwrap();
    // SAFETY: null queries only the length.
    let length = unsafe { write(std::ptr::null_mut(), 0) };
    let mut buffer = vec![0_u8; length + 1];
    // SAFETY: the buffer has the length that is passed.
    assert_eq!(unsafe { write(buffer.as_mut_ptr().cast(), buffer.len()) }, length);
    assert_eq!(buffer.pop(), Some(0));
    String::from_utf8(buffer).unwrap()
}

/// Returns the message of this thread's last failed call.
pub fn last_error() -> String {
    if on_hardware() { String::new() } else { text("coalesced_last_error") }
}

/// Returns the counters of this thread's last launch, as JSON.
pub fn last_counters() -> String {
    text("coalesced_last_counters")
}

/// Takes the findings of this thread's checked launches, as JSON.
pub fn take_findings() -> String {
    text("coalesced_take_findings")
}

/// Takes the recorded launches of this thread, as JSON.
pub fn take_scenes() -> String {
    text("coalesced_take_scenes")
}

/// Takes the estimates of this thread's launches, as JSON.
pub fn take_estimates() -> String {
    text("coalesced_take_estimates")
}

/// Calls a function of the emulator that takes one number.
pub fn set<T>(name: &str, value: T) {
    // SAFETY: the callers name functions of this type.
    unsafe { EMULATOR.get::<extern "C" fn(T)>(name) }.unwrap()(value);
}

/// A range of device memory, as a parameter of the emulator's functions for libraries.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub address: u64,
    pub bytes: u64,
}

/// Records a transfer by a library.
pub fn transfer(stream: &CudaStream, what: &str, reads: &[Range], writes: &[Range]) -> CUresult {
    type Transfer =
        unsafe extern "C" fn(sys::CUstream, *const c_char, *const Range, usize, *const Range, usize) -> CUresult;
    stream.context().bind_to_thread().unwrap();
    let what = std::ffi::CString::new(what).unwrap();
    // SAFETY: the function has this type and copies the text and the ranges, whose lengths are passed.
    unsafe {
        let record = EMULATOR.get::<Transfer>("coalesced_transfer").unwrap();
        let from = reads.as_ptr();
        let to = writes.as_ptr();
        record(stream.cu_stream(), what.as_ptr(), from, reads.len(), to, writes.len())
    }
}

/// Submits a call of a library's host function to a stream.
pub fn host_call(stream: &CudaStream, function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> CUresult {
    type Call = unsafe extern "C" fn(sys::CUstream, unsafe extern "C" fn(*mut c_void), *mut c_void) -> CUresult;
    stream.context().bind_to_thread().unwrap();
    // SAFETY: the emulator's function has this type, and the host function takes this argument.
    unsafe { EMULATOR.get::<Call>("coalesced_host_call").unwrap()(stream.cu_stream(), function, argument) }
}

/// Reads device memory outside all streams.
pub fn read_memory(target: &mut [u8], address: u64) -> CUresult {
    type Read = unsafe extern "C" fn(*mut c_char, u64, usize) -> CUresult;
    // SAFETY: the function has this type, and the slice has the length that is passed.
    unsafe { EMULATOR.get::<Read>("coalesced_read_memory").unwrap()(target.as_mut_ptr().cast(), address, target.len()) }
}

/// Writes device memory outside all streams.
pub fn write_memory(address: u64, source: &[u8]) -> CUresult {
    type Write = unsafe extern "C" fn(u64, *const c_char, usize) -> CUresult;
    // SAFETY: the function has this type, and the slice has the length that is passed.
    unsafe { EMULATOR.get::<Write>("coalesced_write_memory").unwrap()(address, source.as_ptr().cast(), source.len()) }
}
