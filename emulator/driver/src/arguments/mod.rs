//! The parameter types of the C functions. Each type states the caller's promise.
//!
//! Every type is a pointer in its C representation. Only a C caller can create one, under the contract of the function it
//! calls.

pub(crate) mod device_range;
mod host;
mod launch;
mod pointer;

pub use host::{HostAddress, HostSource, HostTarget};
pub use launch::{KernelParams, LaunchExtra};
pub use pointer::{In, Out, Text};
