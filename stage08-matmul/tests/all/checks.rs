//! The kernels under the emulator's checks.

use stage_tests::checks;
use stage08_matmul::STAGE;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_kernel_is_clean() {
    checks::all_are_clean(env!("CARGO_BIN_EXE_stage08-matmul"), &STAGE);
}
