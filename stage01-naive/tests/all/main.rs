//! The tests of the stage that run on the GPU, or on the emulator without one.

mod command_line;
mod kernels;
mod nvrtc;
mod shared_memory;

stage_tests::of_every_stage!(stage01_naive::STAGE, "stage01-naive");
