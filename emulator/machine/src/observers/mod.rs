//! The observers of a launch: counters, traces and checks.

pub(crate) mod checks;
pub(crate) mod counters;
pub(crate) mod lines;
pub(crate) mod stream;
pub(crate) mod trace;
mod traffic;
