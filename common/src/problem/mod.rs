//! The problems of the course. A problem is one folder here; the rest of the program knows none of them.
//!
//! A problem owns its inputs and its reference, the comparison of results with it, the laws that results obey, what a
//! run costs and which limit it could reach, its CPU baseline, its own options and the files that these write. All of
//! that is one implementation of [`Problem`], by a type that holds the launch functions of a rung:
//!
//! ```text
//! work: &Forces { launch: launch::forces },
//! ```
//!
//! How the data lies on the device belongs to the rung. Each problem has a trait `Layout`, by which a rung prepares
//! what it wants from the canonical inputs, outside of the timed part, and gives canonical results back. `Buffers` is
//! the layout of the tutorials; a rung brings its own by naming another type in its launch function.

pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod periodic;
pub mod reduction;
pub mod transpose;

mod cpu;
mod definition;
mod facts;
mod gravity;
mod inputs;
mod sample;
mod setup;
mod size;
mod work;

pub use cpu::CpuTimes;
pub use definition::{Cost, Problem, Run, Written};
pub use facts::{Accepted, Facts, FileOption, Parameter, Rate, Roof, Steps};
pub use inputs::{Inputs, Shelf};
pub use sample::sample;
pub use setup::{Launch, LaunchResult, Setup};
pub use size::{DEFAULT_SEED, Parameters, Size, as_i32};
pub use work::{Case, Work};

/// Sizes just below, at and above a warp, and around a block of 1024.
#[cfg(test)]
const SIZES_AROUND_WARPS: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];
