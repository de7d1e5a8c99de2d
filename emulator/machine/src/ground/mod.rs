//! Vocabulary: types and constants that every other module uses, and that depend on none of them.

pub mod capability;
pub(crate) mod cluster;
pub(crate) mod dimensions;
pub(crate) mod fault;
pub(crate) mod lanes;
pub(crate) mod refusal;
pub(crate) mod space;
