//! The machine: executes the steps of a kernel, block by block, in warps of 32 lanes.

mod access;
pub(crate) mod addresses;
mod assertion;
pub(crate) mod bind;
pub(crate) mod block;
mod collective;
pub(crate) mod events;
mod exchange;
mod schedule;
mod split;
pub(crate) mod stop;
mod whole_warp;
mod word;
