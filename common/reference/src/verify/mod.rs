//! Comparison with a reference in double precision, under a tolerance that follows from the arithmetic.
//!
//! A value passes only if its difference is at most the tolerance, so NaN never passes.

mod all;
mod bound;
mod failure;
mod integers;
mod laws;
mod recording;
mod report;
mod written;

pub use bound::{
    Expected, LAMBDA, POISON_BITS, RSQRT_ROUNDINGS, UNIT_ROUNDOFF, lost_terms, poison_f32, poison_i32, sum_tolerance,
};
pub use failure::Failure;
pub use recording::{Compared, recorded};
pub use report::{Report, Sample};
pub use written::written;
pub(crate) use written::{LastWritten, expected_in_rows};

#[cfg(test)]
pub(crate) mod tests;
