//! Launches: counted, checked, or one block traced.

pub(crate) mod checked;
pub(crate) mod counted;
mod overseer;
mod resident;
mod roster;
pub(crate) mod shape;
mod stuck;
pub(crate) mod traced;
pub(crate) mod workers;
mod workspace;
