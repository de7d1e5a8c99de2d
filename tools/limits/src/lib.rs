//! The highest rates of a GPU's units and their latencies, measured by kernels that do little else.
//!
//! [`MEASUREMENTS`](common::ceilings::bench::MEASUREMENTS) has the kernels for the highest rates, which the stages measure too;
//! `cargo x record` stores the results in `results/DEVICE/limits.json`. On the emulator, the kernels run at a small size and only
//! their results are checked. [`latency`] measures how long the units take to respond, and [`costs`] what single actions cost,
//! by their circumstances.

pub mod against;
pub mod costs;
pub mod latency;
mod launch;
