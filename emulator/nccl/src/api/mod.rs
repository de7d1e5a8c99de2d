//! The C functions, one file per family of NCCL's API.

pub mod collective;
pub mod communicator;
pub mod group;
pub mod point_to_point;
pub mod status;
