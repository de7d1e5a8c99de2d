//! The C functions, one file per family of NCCL's API.

pub mod communicator;
pub mod operations;
pub mod status;
