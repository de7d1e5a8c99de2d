//! Loaded modules: their kernels, and their variables in device memory.

pub(crate) mod kernel;
pub(crate) mod load;
mod variables;
