//! The library for kernels in Rust: CUDA C++'s built-in functions, each documented with the PTX that it compiles to.
//!
//! A kernel is an exported function with the calling convention `ptx-kernel`. Its parameters are the same as in CUDA C++:
//! pointers to global memory and numbers. A kernel turns its pointers into [`Input`]s and [`Global`]s, which check bounds. The
//! compiler removes the checks that it can prove to hold; if another one fails, the launch ends with a fault.
//!
//! `rust-ptx` compiles this crate for nvptx64. The crate also compiles for the host, where a launch has one thread, so that
//! `cargo test` can test the functions that a kernel calls.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx))]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features, reason = "rustc's names of LLVM's intrinsics"))]

mod atomic;
mod barrier;
mod cache;
mod index;
mod kernels;
mod math;
mod memory;
#[cfg_attr(target_arch = "nvptx64", path = "nvptx.rs")]
#[cfg_attr(not(target_arch = "nvptx64"), path = "host.rs")]
mod target;
mod vector;
mod warp;

pub use barrier::{sync_threads, sync_warp, thread_fence};
pub use cache::{Loaded, load_streaming};
pub use index::{Dim3, block_dim, block_idx, grid_dim, thread_idx};
pub use kernels::{launch_bounds, resident_blocks, source_order, unroll};
pub use math::{fast_exp2, fast_log2, fast_rsqrt, floor, mul_add, round_to_i64, rsqrt};
pub use memory::{ArrayIndex, Global, Input, Shared, dynamic_shared};
#[doc(hidden)]
pub use memory::{constant_address, shared_array};
pub use vector::{Float2, Float4, Int4, UInt2};
pub use warp::{ALL_LANES, WARP, all, any, ballot, shuffle, shuffle_down, shuffle_xor};
