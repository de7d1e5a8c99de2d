//! Samples of a launch's blocks.

use common::stage::Rung;
use stage_tests::sampled;
use stage08_matmul::STAGE;

/// Returns the kernels of the problems with these letters.
fn kernels(letters: &[&str]) -> Vec<&'static Rung> {
    STAGE.rungs.iter().copied().filter(|rung| letters.contains(&rung.work.facts().letter)).collect()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_sample_counts_what_all_blocks_do() {
    sampled::counts_are_those_of_all_blocks(&kernels(&["G", "G16"]), 768);
    sampled::counts_are_those_of_all_blocks(&kernels(&["H"]), 4096);
    sampled::counts_are_those_of_all_blocks(&kernels(&["I", "I16"]), 512);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_sample_counts_what_is_recorded() {
    sampled::counts_are_recorded(&STAGE, include_str!("../../../results/emulator/stage08.json"));
}
