//! Launches: counted, checked, or one block traced.

pub(crate) mod checked;
pub(crate) mod counted;
mod overseer;
pub(crate) mod shape;
pub(crate) mod traced;
pub(crate) mod workers;
