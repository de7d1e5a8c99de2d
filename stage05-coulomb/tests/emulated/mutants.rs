//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use stage_tests::mutants::{self, Change, Equivalent};
use stage05_coulomb::STAGE;

const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["coulombGather", "coulombConstant", "coulombCoarsened", "coulombCoarsenedCoalesced"],
        code: "for (int a = 0; a < atom_count; ++a) {",
        changes: &[(Change::Guard, 1)],
        reason: "there is at least one atom",
    },
    Equivalent {
        kernels: &["coulombScatter"],
        code: "for (int row = 0; row < height; ++row) {",
        changes: &[(Change::HalfCondition, 2), (Change::Guard, 1)],
        reason: "a slice has at least one row and one column",
    },
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &[
            "coulombGather in Rust",
            "coulombConstant in Rust",
            "coulombCoarsened in Rust",
            "coulombCoarsenedCoalesced in Rust",
        ],
        code: "for a in 0..atom_count {",
        changes: &[(Change::Guard, 1)],
        reason: "there is at least one atom",
    },
    Equivalent {
        kernels: &["coulombScatter in Rust"],
        code: "for row in 0..height {",
        changes: &[(Change::Guard, 1)],
        reason: "a slice has at least one row and one column",
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
    mutants::one_is_noticed(&STAGE, &mutants::SIZES, Change::Guard);
}
