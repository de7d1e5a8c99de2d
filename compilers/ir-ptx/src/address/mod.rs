//! Addresses: their state spaces, and the sums that they are.

pub(crate) mod counters;
pub(crate) mod spaces;
pub(crate) mod terms;
