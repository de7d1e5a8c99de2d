//! The CPU's side of each problem: seeded inputs, their reference in double precision, the tutorials' loops, and the
//! comparison of results within a bound that follows from the arithmetic.
//!
//! These are the loops that need optimization in every build; the rest of `common` does not.

pub mod attention;
pub mod convolution;
pub mod coulomb;
pub mod cpu;
pub mod forces;
pub mod galaxy;
mod gravity;
pub mod heat;
pub mod histogram;
pub mod inputs;
pub mod matmul;
pub mod padding;
mod parallel;
pub mod periodic;
pub mod reduction;
pub mod sample;
pub mod scan;
pub mod size;
pub mod softmax;
pub mod sort;
pub mod sparse;
pub mod transpose;
pub mod verify;

/// Sizes just below, at and above a warp, and around a block of 1024.
#[cfg(test)]
const SIZES_AROUND_WARPS: [usize; 8] = [1, 31, 32, 33, 1000, 1023, 1024, 1025];
