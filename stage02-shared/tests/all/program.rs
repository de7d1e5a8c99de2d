//! The program on the emulator.

use stage_tests::program;
use stage02_shared::STAGE;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage02-shared");

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    program::tables_are_complete(PROGRAM, &STAGE);
}
