//! Judging a kernel in a child process with limits of time and memory, and timing it on a GPU.
//!
//! A file can keep its compiler busy, or its kernel running, without end. Only a process can be stopped from outside.

mod child;
pub mod confinement;
pub mod conversation;
mod gpu;
mod parent;
mod protocol;

pub use child::{judge, time};
pub use gpu::{Ran, run_on_device};
pub use parent::Worker;
