//! The kernels under the emulator's checks.

#[path = "../../stage01-naive/tests/support/checks.rs"]
mod checks;

use stage02_shared::STAGE;

#[test]
fn every_kernel_is_clean() {
    checks::all_are_clean(env!("CARGO_BIN_EXE_stage02-shared"), &STAGE);
}
