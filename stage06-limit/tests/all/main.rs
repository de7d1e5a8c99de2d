//! The tests of the stage, in one program, which is linked once.

mod checks;
mod hardware;
mod kernels;
mod languages;
mod program;
