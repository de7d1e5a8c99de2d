//! Simplifications of the tree before instructions are selected.

pub(crate) mod copies;
pub(crate) mod switches;
