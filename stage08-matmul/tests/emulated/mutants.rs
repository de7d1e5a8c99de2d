//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes};
use stage08_matmul::STAGE;

/// One tile of each kernel or several, with and without an edge.
const SIZES_OF_TILES: Sizes = Sizes { bodies: &[33, 1, 65, 129], ..SIZES };

const EQUIVALENT: &[Equivalent] = &[];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed_at(&STAGE, &SIZES_OF_TILES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &SIZES_OF_TILES, Change::Barrier);
}
