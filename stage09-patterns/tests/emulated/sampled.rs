//! Samples of a launch's blocks.

use common::stage::{Rung, Stage};
use stage_tests::sampled;
use stage09_patterns::STAGE;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_sample_counts_what_all_blocks_do() {
    // The lengths of rows by a power law differ too much: a sample of problem N has 7 % more instructions than all blocks.
    let rungs: Vec<&Rung> = STAGE.rungs.iter().copied().filter(|rung| rung.work.facts().letter != "N").collect();
    let stage = Stage { rungs: rungs.leak(), ..STAGE };
    sampled::counts_are_recorded(&stage, include_str!("../../../results/emulator/stage09.json"));
}
