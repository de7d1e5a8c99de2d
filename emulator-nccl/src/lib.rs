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
//! # What a program may set
//!
//! | variable | what it says |
//! |---|---|
//! | `NCCL_COMM_ID` | `host:port` of rank 0: every rank makes the id by itself, and rank 0 opens the port when it joins |
//! | `NCCL_SOCKET_IFNAME` | the network interface of this rank: `eth,ib`, `=eth0`, `^docker` |
//! | `COALESCED_NCCL_ADDRESS` | the IP address of this rank, before its interface; else the one by which the root is reached |
//! | `COALESCED_NCCL_TIMEOUT` | seconds, 20 at first: so long nothing may move while those who are waited for do not compute |
//!
//! # How ranks work together
//!
//! - `network`: ranks meet at a root, once, and are connected then. Each connection has a thread that reads, so that nobody
//!   waits to be read; buffers go in chunks, no more than a window ahead of who takes them.
//! - `engine`: a call tells the others first what it is, and is compared with theirs. Then it is phases of transfers, which
//!   go on as far as they can; several calls of a group do so in turn. What stands still is watched.
//! - `communicator`: what a rank has, from its making to its end. `group`: what waits for the end of a group.
//! - `arithmetic`: data types, and combining values.
//! - `driver`: device memory, and the order of streams, of which the driver is told.
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
