//! Mutants of the kernels of problems M and O: a test fails for each, or it is equivalent to the kernel.

use crate::mutants::of_problem;
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};

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
    same(
        &["heatDirect"],
        "if (row >= n || column >= n) return;",
        &[(Change::HalfCondition, 1), (Change::Strictness, 1)],
        PADDING,
    ),
    same(
        &["heatShared"],
        "const int first_row = blockIdx.y * SIDE - 1,",
        &[(Change::Clamp, 1)],
        "a column past the last one is padding, which no cell depends on",
    ),
    same(&["heatShared"], "for (int y = warp; y < TILE; y += WARPS) {", &[(Change::Strictness, 1)], MORE_ROWS),
    same(
        &["heatShared"],
        "if (row < n && column < n) output[row * pitch + column] = cell;",
        &[(Change::HalfCondition, 4), (Change::Strictness, 1)],
        PADDING,
    ),
    same(
        &["heatShared"],
        "if (row > 0 && row < n - 1 && column > 0 && column < n - 1) {",
        &[(Change::HalfCondition, 3), (Change::Strictness, 3)],
        "only the first of a thread's four cells can be in row 0",
    ),
    same(&["heatRows"], "const int row = min(max(first - 1 + k, 0), n - 1);", &[(Change::Selection, 1)], NOT_NEGATIVE),
    same(
        &["heatTwoSteps"],
        "const int row = min(max(first - 2 + k, 0), n - 1);",
        &[(Change::Selection, 1)],
        NOT_NEGATIVE,
    ),
    same(&["heatRows"], "if (is_outer) neighbors[k] =", &[(Change::Guard, 1)], OTHER_LANES),
];

/// Of problem O's kernels.
const EQUIVALENT_CONVOLUTIONS: &[Equivalent] = &[
    same(
        &["convolutionDirect_3", "convolutionShared_3"],
        "if (row >= n || column >= n) return;",
        &[(Change::HalfCondition, 1), (Change::Strictness, 1)],
        PADDING,
    ),
    same(
        &["convolutionDirect_3"],
        "if (y < 0 || y >= n) continue;",
        &[(Change::Guard, 1), (Change::HalfCondition, 6), (Change::Strictness, 6)],
        ONE_SIDE,
    ),
    same(
        &["convolutionDirect_3"],
        "if (x >= 0 && x < n) sum =",
        &[(Change::Guard, 7), (Change::HalfCondition, 42), (Change::Strictness, 42)],
        ONE_SIDE,
    ),
    same(&["convolutionShared_3"], "for (int y = warp; y < WIDE; y += WARPS) {", &[(Change::Strictness, 1)], MORE_ROWS),
    same(
        &["convolutionShared_3"],
        "return row >= 0 && row < n && column >= 0 && column < n ?",
        &[(Change::HalfCondition, 1), (Change::Strictness, 2)],
        "of the first 32 columns, one past the last is padding, which is 0; a further column is never left of the image",
    ),
    same(
        &["convolutionRegisters_3"],
        "const bool is_inside = column >= 0 && column < n;",
        &[(Change::Strictness, 1)],
        GROUPS,
    ),
    same(
        &["convolutionRegisters_3"],
        "if (is_inside && row >= 0 && row < n) own =",
        &[(Change::Strictness, 1)],
        NOTHING_STORED,
    ),
];

/// Of problem M's twins in Rust.
const EQUIVALENT_STEPS_IN_RUST: &[Equivalent] = &[
    same(&["heatRows in Rust"], "if is_outer {", &[(Change::Guard, 1)], OTHER_LANES),
    same(&["heatRows in Rust"], "let is_outer =", &[(Change::Guard, 1)], OTHER_LANES),
];

/// Of problem O's twins in Rust.
const EQUIVALENT_CONVOLUTIONS_IN_RUST: &[Equivalent] = &[
    same(&["convolutionDirect_3 in Rust"], "if row >= n || column >= n {", &[(Change::Clamp, 1)], PADDING),
    same(&["convolutionDirect_3 in Rust"], "let y = row + j - RADIUS;", &[(Change::Strictness, 1)], ONE_SIDE),
    same(&["convolutionDirect_3 in Rust"], "if y >= 0 && y < n {", &[(Change::HalfCondition, 1)], ONE_SIDE),
    same(&["convolutionDirect_3 in Rust"], "if x >= 0 && x < n {", &[(Change::HalfCondition, 1)], ONE_SIDE),
    same(
        &["convolutionDirect_3 in Rust"],
        "sum = mul_add(filter.taps",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        ONE_SIDE,
    ),
    same(&["convolutionShared_3 in Rust"], "sync_threads();", &[(Change::Guard, 1)], PADDING),
    same(
        &["convolutionRegisters_3 in Rust"],
        "let is_inside = column >= 0 && column < n;",
        &[(Change::Strictness, 1)],
        GROUPS,
    ),
    same(
        &["convolutionRegisters_3 in Rust"],
        "window[RADIUS + EACH as usize + i] =",
        &[(Change::Strictness, 1)],
        NOTHING_STORED,
    ),
    same(
        &["convolutionRegisters_3 in Rust"],
        "if is_stored && row < n {",
        &[(Change::HalfCondition, 1)],
        "only the first lane can be left of the image, and it stores nothing",
    ),
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
