//! The ground floor: words that every other floor uses, and that use none of them.

pub(crate) mod dimensions;
pub(crate) mod fault;
pub(crate) mod lanes;
pub mod limits;
pub(crate) mod refusal;
pub(crate) mod space;
