//! The tests of the stage that run on the GPU, or on the emulator without one.

mod kernels;

stage_tests::of_every_stage!(stage02_shared::STAGE, "stage02-shared");
