//! The tests of the stage, in one program, which is linked once.

mod checks;
mod kernels;
mod program;
