//! The CUDA driver API implemented by the [`emulator`] crate: a `libcuda.so` for machines without an NVIDIA GPU.
//!
//! # How to use it
//!
//! Cargo builds this crate as `libemulator_driver.so`, next to the executables that depend on it. Its SONAME is `libcuda.so`.
//! A program that opens the file by its full path before its first CUDA call gets it whenever `libcuda.so` is requested
//! later. Other programs load it through `LD_LIBRARY_PATH` or `LD_PRELOAD` (README.md).
//!
//! # What it does and does not do
//!
//! - The crate contains no kernel semantics: it converts C arguments, calls the emulator, and returns a
//!   [`result::CUresult`].
//! - A panic does not cross the C boundary: it becomes `CUDA_ERROR_UNKNOWN`.
//! - Handles are numbers that are never reused, so a destroyed handle is an error and never another object.
//! - `COALESCED_DEVICES` sets the number of devices, 1 to 64. They are identical unless `COALESCED_DEVICE_PROPERTIES` describes
//!   them, share one address space, and can access each other's memory once peer access is enabled.
//! - Calls are synchronous: a kernel has ended when `cuLaunchKernel` returns. Dependencies between streams, events and waits
//!   are recorded separately (`state::stream_order`). With checks on, unordered work on the same memory is a finding,
//!   whichever ran first.
//! - Calls on a stream that is being captured do not run. They become nodes of a graph, which runs them in program order.
//!   Memory in stream order is allocated and freed by nodes, too. Graphs can only be created by capture.
//! - All resident blocks make progress, so a kernel may wait for other blocks. An endless wait is a fault.
//! - The launch of a kernel that faults succeeds. The next call that waits fails, and so does every later call on that
//!   context, as on hardware. Unlike on hardware, destroying the context clears the fault, so one process can examine many
//!   faults.
//! - Events record the CPU's clock. Their differences are the emulator's run time and say nothing about a GPU.
//! - Unsupported functions exist and return `CUDA_ERROR_NOT_SUPPORTED` ([`api::unsupported`]).
//!
//! The functions of [`api::extensions`] exist only in the emulator: counters, findings and the text of the last error. Those
//! of [`api::library_transfer`] are for libraries that move data themselves.
//!
//! # Safety
//!
//! Every pointer argument must be null or as the CUDA driver API documents it. The types in [`arguments`] state this in the
//! signatures, and all unsafe reads and writes of arguments are in that module.
//!
//! Error codes that the API's documentation leaves open were read from a driver of CUDA 13.0 on an H200.

pub mod api;
pub mod arguments;
pub mod boundary;
mod device_properties;
pub mod result;
pub mod state;
