//! The tests of the crate, in one program, which starts itself again for each rank.

mod support;

mod collectives;
mod misuse;
mod types;
