//! The problems of the course, one folder each. The rest of the program does not depend on any of them.
//!
//! A problem consists of its inputs and reference, the comparison of results with it, the laws that results obey, the
//! cost of a run and the peak it could reach, a CPU baseline, and options of its own. All of that is one
//! implementation of [`Definition`], by a type that holds the launch functions of a rung:
//!
//! ```text
//! Rung::new("computeForces", kernel_source!("01_compute_forces"), &Forces { launch: launch::forces })
//! ```
//!
//! The layout of the data on the device belongs to the rung, which converts the canonical inputs by [`Layout`], outside
//! of the timed part, and returns canonical results. `Buffers` is the layout of the tutorials; a rung brings its own by
//! naming another type in its launch function.

pub mod attention;
pub mod convolution;
pub mod coulomb;
pub mod forces;
pub mod galaxy;
pub mod heat;
pub mod histogram;
pub mod matmul;
pub mod periodic;
pub mod pitched;
pub mod reduction;
pub mod scan;
pub mod softmax;
pub mod sort;
pub mod sparse;
pub mod transpose;

mod case;
mod clusters;
mod cost;
mod definition;
mod facts;
mod layout;
mod runs;
mod sampled;
mod setup;
mod tensor_map;

pub use case::{Case, Problem, estimate_launches};
pub use clusters::Argument;
pub use cost::{Cost, Written};
pub use definition::{Definition, Prepared};
pub use facts::{Accepted, Facts, FileOption, Parameter, Rate, Roof, Steps};
pub use layout::{Layout, Rougher};
pub use reference::cpu::CpuTimes;
pub use reference::inputs::{InputCache, Inputs};
pub use reference::sample::sample;
pub use reference::size::{DEFAULT_SEED, Parameters, Size, as_i32, as_u32};
pub use setup::{Launch, LaunchResult, Setup};
pub use tensor_map::TensorMap;
