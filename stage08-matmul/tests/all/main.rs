//! The tests of the stage that run on the GPU, or on the emulator without one.

mod attention;
mod kernels;
mod softmax;

stage_tests::of_every_stage!(stage08_matmul::STAGE, "stage08-matmul", #[ignore = "slow: run by cargo x ci"]);
