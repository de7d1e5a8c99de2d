//! The CUDA driver API over the [`emulator`] crate: a `libcuda.so` for machines without an NVIDIA driver.
//!
//! # How it is used
//!
//! Cargo builds this crate as `libemulator_driver.so` beside the executables that depend on it. Its SONAME is
//! `libcuda.so`: a program that opens it by its full path before the first CUDA call gets it from then on wherever
//! `libcuda.so` is asked for. Programs that cannot do so take it by `LD_PRELOAD`.
//!
//! # What it does and does not do
//!
//! - No semantics of kernels: C arguments in, a call of the emulator, a [`result::CUresult`] out.
//! - No panic crosses the boundary: it becomes `CUDA_ERROR_UNKNOWN`.
//! - Handles are numbers that are never used twice, so a freed one is an error and never another object.
//! - `COALESCED_DEVICES` says how many devices a process has, 1 to 64. All are alike, share one address space, and reach
//!   each other's memory once peer access is enabled.
//! - Work has run when the call that gives it returns: a kernel has ended when `cuLaunchKernel` returns. What streams,
//!   events and waits order is kept beside that (`state::order`): under checks, work on memory that other work may still
//!   be using is a finding, whatever ran first here. It also says which transfers nothing could run beside.
//! - A captured stream runs nothing: its calls become nodes of a graph, which runs them in their order. Allocations are no
//!   nodes, and graphs are made by capturing alone.
//! - All blocks that are resident take turns, so a kernel may wait for other blocks; a wait without end is a fault.
//! - A kernel that faults does not fail its launch. The error comes from the next call that waits, and from every
//!   later call on that context, as on hardware. Unlike on hardware, destroying the context ends it, so one process
//!   can look at many faults.
//! - Events are stamped with the clock of the CPU. Their differences say how long the emulator took; they say nothing
//!   about a GPU.
//! - What is not supported exists all the same and answers `CUDA_ERROR_NOT_SUPPORTED` ([`api::unsupported`]).
//!
//! The functions of [`api::extensions`] are the emulator's own: counters and the whole text of the last error; those of
//! [`api::library_transfer`] are for libraries that move data themselves.
//!
//! # What the C caller promises
//!
//! Every pointer argument is null or as the CUDA driver API documents it. The types of [`arguments`] say so in the
//! signatures, and what is unsafe about reading and writing them is in that module.
//!
//! Error codes that the API's documentation leaves open were read from a driver of CUDA 13.0 on an H200.

pub mod api;
pub mod arguments;
mod boundary;
mod limits;
pub mod result;
pub mod state;
