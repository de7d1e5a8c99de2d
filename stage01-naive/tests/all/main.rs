//! The tests of the stage, in one program, which is linked once. Those of the mutants are beside it.

mod checks;
mod command_line;
mod fault;
mod hardware;
mod kernels;
mod languages;
mod nvrtc;
mod shared_memory;
