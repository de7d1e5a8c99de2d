//! Checks of how a kernel uses memory and barriers: races, reads of what nobody wrote, divergent barriers.

pub(crate) mod checking;
pub(crate) mod finding;
mod order;
mod shadow;
