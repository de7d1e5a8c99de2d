//! Loaded modules: their kernels, and their variables in device memory.

mod inlining;
pub(crate) mod kernel;
pub(crate) mod load;
mod variables;
