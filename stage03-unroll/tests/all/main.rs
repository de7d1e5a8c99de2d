//! The tests of the stage on whatever device there is, in one program, which is linked once.

mod checks;
mod hardware;
mod kernels;
mod program;
