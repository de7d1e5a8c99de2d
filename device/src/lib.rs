//! What kernels in Rust are written with: CUDA C++'s built-ins as functions, each documented with the PTX that it becomes.
//!
//! A kernel is an exported function with the calling convention `ptx-kernel`. Its parameters are those of a CUDA C++
//! kernel: pointers to global memory and numbers. The slices and [`Global`]s that it makes of the pointers check bounds:
//! where the compiler cannot see that an index is in bounds, a wrong one ends the launch with a fault.
//!
//! `rust-ptx` compiles this crate for nvptx64. It also compiles for the host, where a launch has one thread, so that the
//! functions that a kernel is made of can be tested by `cargo test`.
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
mod unroll;
mod vector;
mod warp;

pub use barrier::{sync_threads, sync_warp, thread_fence};
pub use cache::{Loaded, load_streaming};
pub use index::{Dim3, block_dim, block_idx, grid_dim, thread_idx};
pub use kernels::{launch_bounds, resident_blocks, source_order};
pub use math::{fast_exp2, fast_log2, fast_rsqrt, floor, mul_add, round_to_i64, rsqrt};
pub use memory::{ArrayIndex, Global, Input, Shared, dynamic_shared};
#[doc(hidden)]
pub use memory::{constant_address, shared_array};
pub use unroll::unroll;
pub use vector::{Float2, Float4, Int4, UInt2};
pub use warp::{ALL_LANES, WARP, all, any, ballot, shuffle, shuffle_down, shuffle_xor};
