//! The parameter types of the C functions. Each type states the caller's promise.
//!
//! Every type is a pointer in its C representation. Only a C caller can create one, under the contract of the function it
//! calls.

mod host;
mod launch;
mod pointer;

pub(crate) use host::HostAddress;
pub use host::{HostSource, HostTarget};
pub use launch::{KernelParams, LaunchExtra};
pub use pointer::{In, Out, Text};
