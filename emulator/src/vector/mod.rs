//! The vector unit: registers of 32 lanes, the loop over them, and the vector instructions that it is compiled for.

pub(crate) mod apply;
pub(crate) mod masked;
pub(crate) mod registers;
pub(crate) mod simd;
