//! The tests of the stage that run on the GPU, or on the emulator without one.

mod kernels;

stage_tests::of_every_stage!(stage04_shuffle::STAGE, "stage04-shuffle");
