//! One multiprocessor: four schedulers issue the operations of resident warps in order, greedy first, then the oldest.

mod cache;
mod machine;
mod multiprocessor;
mod stalls;
mod units;
mod warp;

pub(crate) use machine::{Setting, Simulation, Work, simulate};
pub use stalls::Stalls;
pub(crate) use units::Busy;
