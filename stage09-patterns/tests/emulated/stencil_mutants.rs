//! Mutants of the kernels of problems M and O: a test fails for each, or it is equivalent to the kernel.

use crate::mutants::of_problem;
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes};

/// Rows: around groups of four, each quarter of a tile of 32 as the last one, no padding, and around the strips of a warp.
const SIZES_OF_GRIDS: Sizes =
    Sizes { bodies: &[35, 1, 2, 3, 4, 5, 6, 44, 50, 64, 66, 96, 119, 120, 121, 129, 132], blocks: &[], ..SIZES };

const PADDING: &str = "the threads past the end of a row have the words of its padding, as many as there are";
const MORE_ROWS: &str = "the test before the loop: a block has fewer warps than the tile has rows";
const NOT_NEGATIVE: &str = "the clamp of a warp's first row, which is not negative";
const OTHER_LANES: &str = "other lanes load cells that they do not use";
const ONE_SIDE: &str =
    "a tap to the right, or below, never meets a pixel before the first one, nor one to the left one past the last";
const GROUPS: &str = "columns of lanes are multiples of four";
const NOTHING_STORED: &str =
    "the row above a warp's first one: if only that one is in the image, the warp stores nothing";

/// Of problem M's kernels.
const EQUIVALENT_STEPS: &[Equivalent] = &[
    Equivalent {
        kernels: &["heatDirect"],
        code: "if (row >= n || column >= n) return;",
        changes: &[(Change::HalfCondition, 1), (Change::Strictness, 1)],
        reason: PADDING,
    },
    Equivalent {
        kernels: &["heatShared"],
        code: "const int first_row = blockIdx.y * SIDE - 1,",
        changes: &[(Change::Clamp, 1)],
        reason: "a column past the last one is padding, which no cell depends on",
    },
    Equivalent {
        kernels: &["heatShared"],
        code: "for (int y = warp; y < TILE; y += WARPS) {",
        changes: &[(Change::Strictness, 1)],
        reason: MORE_ROWS,
    },
    Equivalent {
        kernels: &["heatShared"],
        code: "if (row < n && column < n) output[row * pitch + column] = cell;",
        changes: &[(Change::HalfCondition, 4), (Change::Strictness, 1)],
        reason: PADDING,
    },
    Equivalent {
        kernels: &["heatShared"],
        code: "if (row > 0 && row < n - 1 && column > 0 && column < n - 1) {",
        changes: &[(Change::HalfCondition, 3), (Change::Strictness, 3)],
        reason: "only the first of a thread's four cells can be in row 0",
    },
    Equivalent {
        kernels: &["heatRows"],
        code: "const int row = min(max(first - 1 + k, 0), n - 1);",
        changes: &[(Change::Selection, 1)],
        reason: NOT_NEGATIVE,
    },
    Equivalent {
        kernels: &["heatTwoSteps"],
        code: "const int row = min(max(first - 2 + k, 0), n - 1);",
        changes: &[(Change::Selection, 1)],
        reason: NOT_NEGATIVE,
    },
    Equivalent {
        kernels: &["heatRows"],
        code: "if (is_outer) neighbors[k] =",
        changes: &[(Change::Guard, 1)],
        reason: OTHER_LANES,
    },
];

/// Of problem O's kernels.
const EQUIVALENT_CONVOLUTIONS: &[Equivalent] = &[
    Equivalent {
        kernels: &["convolutionDirect_3", "convolutionShared_3"],
        code: "if (row >= n || column >= n) return;",
        changes: &[(Change::HalfCondition, 1), (Change::Strictness, 1)],
        reason: PADDING,
    },
    Equivalent {
        kernels: &["convolutionDirect_3"],
        code: "if (y < 0 || y >= n) continue;",
        changes: &[(Change::Guard, 1), (Change::HalfCondition, 6), (Change::Strictness, 6)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionDirect_3"],
        code: "if (x >= 0 && x < n) sum =",
        changes: &[(Change::Guard, 7), (Change::HalfCondition, 42), (Change::Strictness, 42)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionShared_3"],
        code: "for (int y = warp; y < WIDE; y += WARPS) {",
        changes: &[(Change::Strictness, 1)],
        reason: MORE_ROWS,
    },
    Equivalent {
        kernels: &["convolutionShared_3"],
        code: "return row >= 0 && row < n && column >= 0 && column < n ?",
        changes: &[(Change::HalfCondition, 1), (Change::Strictness, 2)],
        reason: "of the first 32 columns, one past the last is padding, which is 0; a further column is never left of the image",
    },
    Equivalent {
        kernels: &["convolutionRegisters_3"],
        code: "const bool is_inside = column >= 0 && column < n;",
        changes: &[(Change::Strictness, 1)],
        reason: GROUPS,
    },
    Equivalent {
        kernels: &["convolutionRegisters_3"],
        code: "if (is_inside && row >= 0 && row < n) own =",
        changes: &[(Change::Strictness, 1)],
        reason: NOTHING_STORED,
    },
];

/// Of problem M's twins in Rust.
const EQUIVALENT_STEPS_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["heatRows in Rust"],
        code: "if is_outer {",
        changes: &[(Change::Guard, 1)],
        reason: OTHER_LANES,
    },
    Equivalent {
        kernels: &["heatRows in Rust"],
        code: "let is_outer =",
        changes: &[(Change::Guard, 1)],
        reason: OTHER_LANES,
    },
];

/// Of problem O's twins in Rust.
const EQUIVALENT_CONVOLUTIONS_IN_RUST: &[Equivalent] = &[
    Equivalent {
        kernels: &["convolutionDirect_3 in Rust"],
        code: "if row >= n || column >= n {",
        changes: &[(Change::Clamp, 1)],
        reason: PADDING,
    },
    Equivalent {
        kernels: &["convolutionDirect_3 in Rust"],
        code: "let y = row + j - RADIUS;",
        changes: &[(Change::Strictness, 1)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionDirect_3 in Rust"],
        code: "if y >= 0 && y < n {",
        changes: &[(Change::HalfCondition, 1)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionDirect_3 in Rust"],
        code: "if x >= 0 && x < n {",
        changes: &[(Change::HalfCondition, 1)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionDirect_3 in Rust"],
        code: "sum = mul_add(filter.taps",
        changes: &[(Change::Guard, 1), (Change::Strictness, 1)],
        reason: ONE_SIDE,
    },
    Equivalent {
        kernels: &["convolutionShared_3 in Rust"],
        code: "sync_threads();",
        changes: &[(Change::Guard, 1)],
        reason: PADDING,
    },
    Equivalent {
        kernels: &["convolutionRegisters_3 in Rust"],
        code: "let is_inside = column >= 0 && column < n;",
        changes: &[(Change::Strictness, 1)],
        reason: GROUPS,
    },
    Equivalent {
        kernels: &["convolutionRegisters_3 in Rust"],
        code: "window[RADIUS + EACH as usize + i] =",
        changes: &[(Change::Strictness, 1)],
        reason: NOTHING_STORED,
    },
    Equivalent {
        kernels: &["convolutionRegisters_3 in Rust"],
        code: "if is_stored && row < n {",
        changes: &[(Change::HalfCondition, 1)],
        reason: "only the first lane can be left of the image, and it stores nothing",
    },
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_a_step_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&of_problem("M"), &SIZES_OF_GRIDS, EQUIVALENT_STEPS);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_a_step_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&of_problem("M"), &SIZES_OF_GRIDS, EQUIVALENT_STEPS_IN_RUST);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_a_convolution_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&of_problem("O"), &SIZES_OF_GRIDS, EQUIVALENT_CONVOLUTIONS);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_a_convolution_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&of_problem("O"), &SIZES_OF_GRIDS, EQUIVALENT_CONVOLUTIONS_IN_RUST);
}

#[test]
fn a_mutant_of_a_stencil_is_noticed() {
    mutants::one_is_noticed(&of_problem("M"), &SIZES_OF_GRIDS, Change::Barrier);
    mutants::one_is_noticed(&of_problem("O"), &SIZES_OF_GRIDS, Change::Barrier);
}
