//! The program on the emulator.

use stage_tests::program;
use stage04_shuffle::STAGE;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage04-shuffle");

#[test]
fn every_rung_has_a_row_that_fits_and_a_step_from_the_one_below() {
    program::tables_are_complete(PROGRAM, &STAGE);
}
