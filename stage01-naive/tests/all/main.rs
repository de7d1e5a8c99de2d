//! The tests of the stage that run on the GPU, or on the emulator without one.

mod checks;
mod command_line;
mod hardware;
mod kernels;
mod nvrtc;
mod shared_memory;
