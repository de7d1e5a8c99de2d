//! The tests of the stage that run on the GPU, or on the emulator without one.

mod kernels;
mod program;

stage_tests::of_every_stage!(stage05_coulomb::STAGE, "stage05-coulomb");
