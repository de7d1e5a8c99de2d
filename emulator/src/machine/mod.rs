//! The machine: executes the steps of a kernel, block by block, in warps of 32 lanes.

mod access;
mod assertion;
mod bind;
mod block;
mod collective;
mod exchange;
pub(crate) mod lanes;
mod memory_view;
pub(crate) mod pattern;
pub(crate) mod registers;
mod schedule;
mod simd;
mod split;
mod whole_warp;
mod word;

pub(crate) use bind::Bound;
pub(crate) use block::{BlockMachine, Stop, Watch};
pub(crate) use memory_view::MemoryView;
pub(crate) use simd::Simd;
