//! Hostile input: what it is thrown at, and where it comes from.

pub mod generate;
pub mod mutate;
pub mod targets;
