//! The tests of the crate, in one program, which starts itself again for each rank.

mod support;

mod boundary;
mod collectives;
mod devices;
mod groups;
mod misuse;
mod processes;
mod symbols;
mod types;
