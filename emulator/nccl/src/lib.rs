//! NCCL's C API for emulated devices: a `libnccl.so` for machines without a GPU, over TCP between processes.
//!
//! # How to use it
//!
//! Cargo builds this crate as `libemulator_nccl.so`. Its SONAME is `libnccl.so`. A program that opens the file by its full path
//! before its first NCCL call gets it whenever `libnccl.so` is requested later (README.md). Device memory is accessed through
//! the `libcuda.so` that the process has loaded, which must be `emulator-driver`.
//!
//! # What it does and does not do
//!
//! - A rank is a process, or a thread of one. All ranks are on one machine. Each communicator has a TCP connection between any two of its ranks.
//! - Calls are synchronous: the bytes have been transferred when a call returns, or when the outermost `ncclGroupEnd` does. A
//!   call therefore waits for the other ranks, which NCCL's calls do not.
//! - Reductions are deterministic: values are combined in the order of ranks, so every rank gets the same bits every time.
//! - Where NCCL hangs, the call fails with a message that names the ranks and their calls. The message is printed to standard
//!   error once, and `ncclGetLastError` returns it. All ranks of the communicator fail from then on.
//!
//! # Environment variables
//!
//! | variable | meaning |
//! |---|---|
//! | `NCCL_COMM_ID` | `host:port` of rank 0. Every rank creates the id itself, and rank 0 opens the port when it joins |
//! | `COALESCED_NCCL_TIMEOUT` | the time limit in seconds, 20 by default, while nothing moves and no awaited rank computes |
//!
//! # Modules
//!
//! - `network`: ranks find each other at a root and connect. A thread per connection reads, so that no rank waits for its data
//!   to be read. Buffers are sent in chunks, at most a window ahead of the receiver.
//! - `engine`: a call is announced to the other ranks and compared with theirs. It then runs as phases of transfers, which
//!   advance as far as they can, concurrently with the other calls of a group. Stalled calls are checked for deadlocks.
//! - `communicator`: a rank's state, from its creation to its end. `group`: calls that
//!   wait for the end of a group.
//! - `arithmetic`: data types, and how values are combined.
//! - `driver`: device memory, and the record of transfers in the order of streams.
//!
//! # Safety
//!
//! Every pointer argument must be null or as NCCL's API documents it. The types in [`arguments`] state this in the signatures.

pub mod api;
pub mod arguments;
pub mod arithmetic;
pub mod boundary;
mod call;
mod communicator;
mod driver;
mod engine;
mod group;
mod network;
mod report;
pub mod result;
mod settings;
