//! The tests of the stage, in one program, which is linked once. Those of the mutants are beside it.

mod checks;
mod counters;
mod hardware;
mod kernels;
mod languages;
mod program;
