//! Who observes a launch: counters, the trace of a block, and the checks.

pub(crate) mod checks;
pub(crate) mod counters;
pub(crate) mod trace;
mod traffic;
