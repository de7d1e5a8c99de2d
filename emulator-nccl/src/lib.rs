//! NCCL's C API for emulated devices: a `libnccl.so` for machines without a GPU, over TCP between processes and machines.
//!
//! # How it is used
//!
//! Cargo builds this crate as `libemulator_nccl.so`. Its SONAME is `libnccl.so`: a program that opens it by its full path
//! before its first NCCL call gets it from then on wherever `libnccl.so` is asked for. Device memory is reached through the
//! `libcuda.so` that the process has loaded, which must be that of `emulator-driver`.
//!
//! # What it does and does not do
//!
//! - Ranks are processes, or threads of one; each communicator has a TCP connection between any two of its ranks.
//! - The bytes have moved when a call returns, or when the outermost `ncclGroupEnd` does: streams run at once in the emulator.
//!   So a call waits for the other ranks, which NCCL's calls do not.
//! - Every rank of a reduction gets the same bits each time: values are combined in the order of ranks.
//! - What NCCL leaves to hang is an error with a text that names the ranks and their calls. It is printed on standard error
//!   once, and `ncclGetLastError` gives it. A communicator that failed stays so on all of its ranks.
//!
//! # What the C caller promises
//!
//! Every pointer argument is null or as NCCL's API documents it. The types of [`arguments`] say so in the signatures.

pub mod api;
pub mod arguments;
mod arithmetic;
mod boundary;
mod call;
mod communicator;
mod driver;
mod engine;
mod group;
mod network;
mod report;
pub mod result;
mod settings;
