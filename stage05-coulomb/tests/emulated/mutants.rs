//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent, same};
use stage05_coulomb::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["coulombGather", "coulombConstant", "coulombCoarsened", "coulombCoarsenedCoalesced"],
        "for (int a = 0; a < atom_count; ++a) {",
        &[(Change::Guard, 1)],
        "there is at least one atom",
    ),
    same(
        &["coulombScatter"],
        "for (int row = 0; row < height; ++row) {",
        &[(Change::HalfCondition, 2), (Change::Guard, 1)],
        "a slice has at least one row and one column",
    ),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(
        &[
            "coulombGather in Rust",
            "coulombConstant in Rust",
            "coulombCoarsened in Rust",
            "coulombCoarsenedCoalesced in Rust",
        ],
        "for a in 0..atom_count {",
        &[(Change::Guard, 1)],
        "there is at least one atom",
    ),
    same(
        &["coulombScatter in Rust"],
        "for row in 0..height {",
        &[(Change::Guard, 1)],
        "a slice has at least one row and one column",
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
    mutants::one_is_noticed(&STAGE, &mutants::SIZES, Change::Guard);
}
