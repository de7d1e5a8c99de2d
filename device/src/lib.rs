//! What kernels in Rust are written with: CUDA C++'s built-ins as functions, each documented with the PTX that it becomes.
//!
//! A kernel is an exported function with the calling convention `ptx-kernel`. Its parameters are those of a CUDA C++
//! kernel: pointers to global memory and numbers. The slices and [`Global`]s that it makes of the pointers check bounds:
//! where the compiler cannot see that an index is in bounds, a wrong one ends the launch with a fault.
//!
//! `rust-ptx` compiles this crate for nvptx64. It also compiles for the host, where a launch has one thread, so that the
//! functions that a kernel is made of can be tested by `cargo test`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(link_llvm_intrinsics, stdarch_nvptx))]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features, reason = "rustc's names of LLVM's intrinsics"))]

mod barrier;
mod float4;
mod index;
mod kernels;
mod math;
mod memory;
#[cfg_attr(target_arch = "nvptx64", path = "nvptx.rs")]
#[cfg_attr(not(target_arch = "nvptx64"), path = "host.rs")]
mod target;
mod unroll;
mod warp;

pub use barrier::{sync_threads, sync_warp};
pub use float4::Float4;
pub use index::{Dim3, block_dim, block_idx, grid_dim, thread_idx};
pub use kernels::launch_bounds;
pub use math::{floor, rsqrt};
pub use memory::{Global, Shared, dynamic_shared};
#[doc(hidden)]
pub use memory::{constant_address, shared_array};
pub use unroll::unroll;
pub use warp::{ALL_LANES, WARP, shuffle, shuffle_down};
