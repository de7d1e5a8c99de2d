//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage09_patterns::STAGE;

/// Bytes: several rounds of small blocks, no group of 16 or some with and without a remainder, and two and three rounds of large blocks.
const SIZES_OF_BYTES: Sizes =
    Sizes { bodies: &[5003, 1, 15, 16, 17, 1025, 65_536, 150_003], blocks: &[32, 64, 96, 128], ..SIZES };

/// The compiler has code of its own for blocks without a warp.
const A_WARP: &str = "a block has at least one warp";
const MORE_WORDS: &str = "the test before the loop: a block has fewer threads than words";

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["histogramPerWarp", "histogramVector"],
        "for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x) copies[b] = 0;",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        MORE_WORDS,
    ),
    same(
        &["histogramPerWarp", "histogramVector"],
        "for (int b = threadIdx.x; b < BINS; b += blockDim.x) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        A_WARP,
    ),
    same(
        &["histogramPerWarp", "histogramVector"],
        "for (int warp = 0; warp < warps; ++warp) sum +=",
        &[(Change::Guard, 1)],
        A_WARP,
    ),
    same(
        &["histogramPerBank", "histogramTwoLoads"],
        "for (int b = threadIdx.x; b < BINS * WARP; b += blockDim.x) copies[b] = 0;",
        &[(Change::Strictness, 1)],
        MORE_WORDS,
    ),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["histogramPerWarp in Rust", "histogramVector in Rust"],
        "while b < warps * BINS {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        MORE_WORDS,
    ),
    same(
        &["histogramPerWarp in Rust", "histogramVector in Rust"],
        "for warp in 0..warps {",
        &[(Change::Guard, 1)],
        A_WARP,
    ),
];

/// Returns the stage with the rungs of a problem alone.
pub fn of_problem(letter: &str) -> Stage {
    let rungs: Vec<&Rung> = STAGE.rungs.iter().copied().filter(|rung| rung.work.facts().letter == letter).collect();
    Stage { rungs: rungs.leak(), ..STAGE }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&of_problem("K"), &SIZES_OF_BYTES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&of_problem("K"), &SIZES_OF_BYTES, EQUIVALENT_IN_RUST);
}

#[test]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&of_problem("K"), &SIZES_OF_BYTES, Change::Barrier);
}
