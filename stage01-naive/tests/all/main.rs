//! The tests of the stage on whatever device there is, in one program, which is linked once.

mod checks;
mod command_line;
mod hardware;
mod kernels;
mod nvrtc;
mod shared_memory;
