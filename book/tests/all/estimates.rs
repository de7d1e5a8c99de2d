//! The errors of estimates in the book are those of today's model, kernels and records.

use std::process::Command;

/// In a process of its own: whether launches are estimated holds for all threads of a process.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_written_estimates_are_those_of_the_model() {
    let output = Command::new(env!("CARGO_BIN_EXE_book")).args(["estimates", "--check"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The same of a sample of all recorded launches.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_sample_of_the_written_evaluation_is_that_of_the_model() {
    let output = Command::new(env!("CARGO_BIN_EXE_book")).args(["estimates", "--all", "--check"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
