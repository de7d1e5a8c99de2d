//! The tests of the stage that run on the GPU, or on the emulator without one.

mod kernels;
mod limiter;

stage_tests::of_every_stage!(stage06_limit::STAGE, "stage06-limit");
