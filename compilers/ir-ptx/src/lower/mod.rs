//! Simplifications of the tree before instructions are selected.

pub(crate) mod copies;
pub(crate) mod counters;
pub(crate) mod places;
pub(crate) mod preheaders;
pub(crate) mod switches;
