//! Samples of a launch's blocks.

use stage_tests::sampled;
use stage05_coulomb::STAGE;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_sample_counts_what_all_blocks_do() {
    sampled::counts_are_recorded(&STAGE, include_str!("../../../results/emulator/stage05.json"));
}
