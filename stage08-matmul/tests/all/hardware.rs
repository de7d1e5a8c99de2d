//! The counters of this stage's kernels on the emulator are those that Nsight Compute read on an H200.

use stage_tests::hardware;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage08-matmul");

#[test]
fn counters_equal_those_of_nsight_compute() {
    hardware::compare("stage08-matmul", PROGRAM);
}

#[test]
fn a_wrong_reading_is_noticed() {
    hardware::notices_a_wrong_reading("stage08-matmul", PROGRAM);
}
