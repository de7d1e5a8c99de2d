//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent};
use stage04_shuffle::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["computeForces_Tiling_Shuffle"],
        code: "for (int first_target = ",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["computeForces_Tiling_Shuffle"],
        code: "for (int first = 0; first < n; first += WARP) {",
        changes: &[(Change::Strictness, 1)],
        reason: "what lanes hold behind the last source has no mass",
    },
    Equivalent {
        kernels: &["periodicShuffle"],
        code: "for (int first = 0; first < n; first += WARP) {",
        changes: &[(Change::Strictness, 2), (Change::Guard, 1)],
        reason: "n is at least 1, a single body has no force, and behind the last body a round is empty",
    },
    Equivalent {
        kernels: &["periodicShuffle"],
        code: "const int count = min(",
        changes: &[(Change::Clamp, 1)],
        reason: "n - first is at least 1",
    },
    Equivalent {
        kernels: &["periodicShuffle"],
        code: "for (int k = 0; k < count; ++k) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "the test before the loop: a round has at least one position",
    },
    Equivalent {
        kernels: &["periodicShuffle"],
        code: "const float box = d > 0.5f",
        changes: &[(Change::Strictness, 28)],
        reason: "half a box away both images are as near, and either is right",
    },
    Equivalent {
        kernels: &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        code: "const unsigned int count = first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        code: "if (count == SLICE) {",
        changes: &[(Change::Guard, 1)],
        reason: "the loop with a condition adds a whole slice as well",
    },
    Equivalent {
        kernels: &["reduceShuffle_128"],
        code: "__syncthreads();",
        changes: &[(Change::Barrier, 1)],
        reason: "the last level: each thread of the first warp goes on with what it wrote itself",
    },
    Equivalent {
        kernels: &["reduceShuffle_128", "reduceShuffleTwoLevel_128"],
        code: "if (t < WARP) {",
        changes: &[(Change::Guard, 1)],
        reason: "the other warps shuffle among themselves and store nothing",
    },
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["computeForces_Tiling_Shuffle in Rust"],
        code: "while first_target < n {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "a round behind the last target stores nothing",
    },
    Equivalent {
        kernels: &["periodicShuffle in Rust"],
        code: "let box_ = if d > 0.5 {",
        changes: &[(Change::Strictness, 1)],
        reason: "half a box away both images are as near, and either is right",
    },
    Equivalent {
        kernels: &["reduceShuffle_128 in Rust", "reduceShuffleTwoLevel_128 in Rust"],
        code: "let count = if first < n",
        changes: &[(Change::Strictness, 1)],
        reason: "n - first is 0 for first = n",
    },
    Equivalent {
        kernels: &["reduceShuffle_128 in Rust", "reduceShuffleTwoLevel_128 in Rust"],
        code: "if t < WARP {",
        changes: &[(Change::Guard, 1)],
        reason: "the other warps shuffle among themselves and store nothing",
    },
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
