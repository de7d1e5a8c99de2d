//! The tests of the stage that run on the GPU, or on the emulator without one.

mod attention;
mod checks;
mod hardware;
mod kernels;
mod program;
mod softmax;
