//! The kernels under the emulator's checks.

use stage_tests::checks;
use stage06_limit::STAGE;

#[test]
fn every_kernel_is_clean() {
    checks::all_are_clean(env!("CARGO_BIN_EXE_stage06-limit"), &STAGE);
}
