//! The machine: executes the steps of a kernel, block by block, in warps of 32 lanes.

mod access;
pub(crate) mod addresses;
mod arrivals;
mod assertion;
mod barrier;
pub(crate) mod bind;
pub(crate) mod block;
mod clock;
pub(crate) mod events;
mod exchange;
mod meeting;
mod memories;
mod schedule;
mod split;
pub(crate) mod stop;
mod waiting;
mod whole_warp;
mod word;
