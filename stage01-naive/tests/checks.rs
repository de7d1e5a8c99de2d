//! The kernels under the emulator's checks.

#[path = "support/checks.rs"]
mod checks;

use stage01_naive::STAGE;

#[test]
fn every_kernel_is_clean() {
    checks::all_are_clean(env!("CARGO_BIN_EXE_stage01-naive"), &STAGE);
}
