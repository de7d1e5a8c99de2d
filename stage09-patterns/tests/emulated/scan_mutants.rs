//! Mutants of the kernels of problems J and Q: a test fails for each, or it is equivalent to the kernel.

use crate::mutants::of_problem;
use crate::scan::look_back_after_others;
use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage09_patterns::STAGE;
use stage09_patterns::scan::SCAN_LOOK_BACK;

/// Numbers: one and two levels of slices of 256, and slices of 8192 of which the second ends in each of its rows.
const SIZES_OF_NUMBERS: Sizes =
    Sizes { values: &[35, 1, 300, 8200, 9222, 10_252, 11_282, 12_312, 13_342, 14_372, 15_402, 16_384], ..SIZES };

/// The same with a slice of 8192 that ends in each of its rows, and more of these than a warp has lanes, of which few are not taken.
const SIZES_OF_SLICES: Sizes = Sizes {
    values: &[
        35,
        1,
        520,
        1030,
        1550,
        2060,
        2570,
        3080,
        3590,
        4100,
        4620,
        5130,
        5650,
        6160,
        6670,
        7180,
        7690,
        8192,
        40_004,
        71 * 8192 + 5,
    ],
    ..SIZES
};

const ALL_LANES: &str = "all lanes of the warp have the same sum, and store it at the same address";
const FIRST_SLICE: &str = "the first slice may publish its sum as one of a slice, too, before it publishes that of all";
const NOTHING_BEFORE: &str = "a look before the first slice adds nothing";
const NO_WAIT: &str = "under the checks a block ends before the next one starts, so none has to wait";

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["scanWorkEfficient_256"],
        "__syncthreads();",
        &[(Change::Barrier, 1)],
        "before the first step down: thread 0 alone goes on, with the root that it has written",
    ),
    same(&["scanVector_256"], "if (t == 0) sums[blockIdx.x] = sum;", &[(Change::Guard, 1)], ALL_LANES),
];

const LOOKING_BACK: &[&str] = &["scanLookBack_128", "scanInclusive_128"];
const EQUIVALENT_LOOK_BACK: &[Equivalent] = &[
    same(
        LOOKING_BACK,
        "if (lane == 0 && slice > 0) store_relaxed",
        &[(Change::HalfCondition, 2), (Change::Guard, 1)],
        FIRST_SLICE,
    ),
    same(
        LOOKING_BACK,
        "for (int last = slice - 1; last >= 0; last -= WARP) {",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        NOTHING_BEFORE,
    ),
    same(LOOKING_BACK, "while (__any_sync(ALL_LANES, state_of(word) == UNKNOWN));", &[(Change::Guard, 1)], NO_WAIT),
    same(LOOKING_BACK, "if (lane == 0) store_relaxed", &[(Change::Guard, 1)], ALL_LANES),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] =
    &[same(&["scanVector_256 in Rust"], "if t == 0 {", &[(Change::Guard, 1)], ALL_LANES)];

const LOOKING_BACK_IN_RUST: &[&str] = &["scanLookBack_128 in Rust", "scanInclusive_128 in Rust"];
const EQUIVALENT_LOOK_BACK_IN_RUST: &[Equivalent] = &[
    same(
        LOOKING_BACK_IN_RUST,
        "if lane == 0 && slice > 0 {",
        &[(Change::HalfCondition, 1), (Change::Guard, 1)],
        FIRST_SLICE,
    ),
    same(LOOKING_BACK_IN_RUST, "if lane == 0 {", &[(Change::Guard, 1)], ALL_LANES),
    same(LOOKING_BACK_IN_RUST, "while last >= 0 {", &[(Change::Guard, 1)], NOTHING_BEFORE),
    same(LOOKING_BACK_IN_RUST, "if !any(ALL_LANES, state_of(word) == UNKNOWN) {", &[(Change::Guard, 1)], NO_WAIT),
    same(
        LOOKING_BACK_IN_RUST,
        "let nearest = if known == 0",
        &[(Change::Selection, 1)],
        "if none is known, there are 32 zeros, and no lane is behind the last",
    ),
    same(LOOKING_BACK_IN_RUST, "if known != 0 {", &[(Change::HalfCondition, 1)], NOTHING_BEFORE),
];

/// Returns the kernels of several launches.
fn by_levels() -> Stage {
    let all = of_problem("J");
    let rungs: Vec<&Rung> = all.rungs.iter().copied().filter(|rung| rung.kernel != SCAN_LOOK_BACK.kernel).collect();
    Stage { rungs: rungs.leak(), ..STAGE }
}

/// Returns the kernels of one launch, after others if there are enough slices.
fn in_one_launch() -> Stage {
    let rungs = look_back_after_others().map(|rung| -> &Rung { Box::leak(Box::new(Rung { block: 128, ..rung })) });
    Stage { rungs: rungs.to_vec().leak(), ..STAGE }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_a_scan_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&by_levels(), &SIZES_OF_NUMBERS, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_look_back_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&in_one_launch(), &SIZES_OF_SLICES, EQUIVALENT_LOOK_BACK);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_a_scan_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&by_levels(), &SIZES_OF_NUMBERS, EQUIVALENT_IN_RUST);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_look_back_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&in_one_launch(), &SIZES_OF_SLICES, EQUIVALENT_LOOK_BACK_IN_RUST);
}

#[test]
fn a_mutant_of_a_scan_is_noticed() {
    mutants::one_is_noticed(&by_levels(), &SIZES_OF_NUMBERS, Change::Barrier);
    mutants::one_is_noticed(&in_one_launch(), &SIZES_OF_SLICES, Change::Barrier);
}
