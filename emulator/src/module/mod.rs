//! Loaded modules: kernels ready to launch, variables in device memory.

pub(crate) mod kernel;
pub(crate) mod load;
mod variables;
