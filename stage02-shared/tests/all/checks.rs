//! The kernels under the emulator's checks.

use stage_tests::checks;
use stage02_shared::STAGE;

#[test]
fn every_kernel_is_clean() {
    checks::all_are_clean(env!("CARGO_BIN_EXE_stage02-shared"), &STAGE);
}
