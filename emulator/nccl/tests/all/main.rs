//! The tests of the crate, in one program, which starts itself again for each rank.

mod support;

mod arithmetic;
mod boundary;
mod collectives;
mod devices;
mod groups;
mod machines;
mod misuse;
mod processes;
mod symbols;
mod types;
