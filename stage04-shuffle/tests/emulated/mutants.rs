//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent, same};
use stage04_shuffle::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["computeForces_Tiling_Shuffle"],
        "for (int first_target = ",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["computeForces_Tiling_Shuffle"],
        "for (int first = 0; first < n; first += WARP) {",
        &[(Change::Strictness, 1)],
        "what lanes hold behind the last source has no mass",
    ),
    same(
        &["periodicShuffle"],
        "for (int first = 0; first < n; first += WARP) {",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "n is at least 1, a single body has no force, and behind the last body a round is empty",
    ),
    same(&["periodicShuffle"], "const int count = min(", &[(Change::Clamp, 1)], "n - first is at least 1"),
    same(
        &["periodicShuffle"],
        "for (int k = 0; k < count; ++k) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "the test before the loop: a round has at least one position",
    ),
    same(
        &["periodicShuffle"],
        "const float box = d > 0.5f",
        &[(Change::Strictness, 28)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        "const unsigned int count = first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        "if (count == SLICE) {",
        &[(Change::Guard, 1)],
        "the loop with a condition adds a whole slice as well",
    ),
    same(
        &["reduceShuffle_128"],
        "__syncthreads();",
        &[(Change::Barrier, 1)],
        "the last level: each thread of the first warp goes on with what it wrote itself",
    ),
    same(
        &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        "if (t < WARP) {",
        &[(Change::Guard, 1)],
        "the other warps shuffle among themselves and store nothing",
    ),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &["computeForces_Tiling_Shuffle in Rust"],
        "while first_target < n {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "a round behind the last target stores nothing",
    ),
    same(
        &["periodicShuffle in Rust"],
        "let box_ = if d > 0.5 {",
        &[(Change::Strictness, 1)],
        "half a box away both images are as near, and either is right",
    ),
    same(
        &["reduceShuffle_128 in Rust", "reduceShuffleTwoLevel_128 in Rust"],
        "let count = if first < n",
        &[(Change::Strictness, 1)],
        "n - first is 0 for first = n",
    ),
    same(
        &["reduceShuffle_128 in Rust", "reduceShuffleTwoLevel_128 in Rust"],
        "if t < WARP {",
        &[(Change::Guard, 1)],
        "the other warps shuffle among themselves and store nothing",
    ),
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&STAGE, &mutants::SIZES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&STAGE, &mutants::SIZES, EQUIVALENT_IN_RUST);
}

#[test]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &mutants::SIZES, Change::Mask);
}
