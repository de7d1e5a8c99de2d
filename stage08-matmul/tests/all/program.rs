//! The program on the emulator.

use stage_tests::program;
use stage08_matmul::STAGE;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage08-matmul");

#[test]
fn the_table_fits() {
    program::table_fits(PROGRAM, &STAGE);
}

#[test]
fn every_step_is_compared_with_its_rung_below() {
    program::steps_are_compared(PROGRAM, &STAGE);
}
