//! Hostile input: generators, mutations, and the functions that run it.

pub mod generate;
pub mod mutate;
pub mod targets;
