//! The tests of the stage that run on the GPU, or on the emulator without one.

mod kernels;
mod sort;
mod sparse;

stage_tests::of_every_stage!(stage09_patterns::STAGE, "stage09-patterns");
