//! Mutants of problem N's kernels: a test fails for each, or it is equivalent to the kernel.

use crate::mutants::of_problem;
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};

/// Rows: in the last block of the kernel by equal parts, elements that end in each round of its loads, and steps of each remainder of
/// those of a thread; rows that end in each of those at which a thread of the first blocks looks; and several blocks, of which one has
/// only empty rows.
const SIZES_OF_ROWS: Sizes = Sizes {
    bodies: &[
        300, 1, 2, 35, 230, 241, 335, 400, 465, 534, 583, 586, 670, 672, 751, 821, 1100, 1300, 1900, 5003, 12_001,
    ],
    blocks: &[32, 64, 96],
    ..SIZES
};

const SAME_VALUE: &str = "all of them have the same value, and store it at the same address";
const TWO_LANES: &str = "a group has at least two lanes";
const NO_ELEMENTS: &str = "a round without elements loads and adds nothing";
const NO_VALUE: &str = "outside of the row, the value and so the product is 0";
const NO_ROW: &str = "there is a row, and if none ends in the block, a look at the one that goes on finds none, either";
const NO_WARP: &str = "before the first warp, there is no sum";
const LAST_BLOCK: &str = "behind the last block no row goes on, so the loop ends before it";
const BOTH: &str = "of a row of exactly LONG elements, both blocks store the same product";
const IN_THE_LOOP: &str = "the loop has already made sure of the first element";

type Names = &'static [&'static str];

const GROUPS: Names = &["sparseRowPerGroup", "sparseFourInFlight", "sparseStreaming"];
const IN_FLIGHT: Names = &["sparseFourInFlight", "sparseStreaming"];
const MERGE: Names = &["sparseMerge_256"];
const SEGMENTS: Names = &["sparseSegments_256"];
const GROUPS_IN_RUST: Names = &["sparseRowPerGroup in Rust", "sparseFourInFlight in Rust", "sparseStreaming in Rust"];
const IN_FLIGHT_IN_RUST: Names = &["sparseFourInFlight in Rust", "sparseStreaming in Rust"];
const MERGE_IN_RUST: Names = &["sparseMerge_256 in Rust"];
const SEGMENTS_IN_RUST: Names = &["sparseSegments_256 in Rust"];
const GUARD: &[(Change, usize)] = &[(Change::Guard, 1)];

const EQUIVALENT: &[Equivalent] = &[
    same(&["sparseRowPerWarp"], "if (lane == 0) y[row] = sum;", GUARD, SAME_VALUE),
    same(GROUPS, "for (unsigned int mask = lanes / 2; mask > 0; mask /= 2)", GUARD, TWO_LANES),
    same(GROUPS, "if (lane == 0 && row < n) y[row] = sum;", &[(Change::HalfCondition, 1)], SAME_VALUE),
    same(
        IN_FLIGHT,
        "for (unsigned int i = begin + lane; i < end; i += EACH * lanes) {",
        &[(Change::Guard, 1), (Change::Strictness, 2)],
        NO_ELEMENTS,
    ),
    same(&["sparseFourInFlight"], "const bool is_in = i + k * lanes < end;", &[(Change::Strictness, 1)], IN_THE_LOOP),
    same(&["sparseStreaming"], "const bool is_in = i + k * lanes < end;", &[(Change::Strictness, 2)], IN_THE_LOOP),
    same(IN_FLIGHT, "column[k] = is_in ?", GUARD, IN_THE_LOOP),
    same(IN_FLIGHT, "value[k] = is_in ?", GUARD, IN_THE_LOOP),
    same(IN_FLIGHT, "if (i + k * lanes < end) sum += value[k]", &[(Change::Guard, 4)], NO_VALUE),
    same(
        MERGE,
        "if (warp < 2) {",
        GUARD,
        "the other warps search, too, and store the result in words behind, which are not in use yet",
    ),
    same(MERGE, "if (lane == 0) edges[warp] = edge;", GUARD, SAME_VALUE),
    same(MERGE, "while (low < high) {", &[(Change::Guard, 2)], NO_ROW),
    same(MERGE, "open_sum = warp_ends[w] == 0 ?", &[(Change::Selection, 1)], NO_WARP),
    same(MERGE, "if (t == 0) {", GUARD, SAME_VALUE),
    same(
        &["sparseAddOpen"],
        "for (unsigned int b = first; b < blocks && open_rows[b] == row; ++b)",
        &[(Change::Strictness, 1)],
        LAST_BLOCK,
    ),
    same(SEGMENTS, "const unsigned int lanes = __ballot_sync(ALL_LANES, row < n", &[(Change::Strictness, 8)], BOTH),
    same(SEGMENTS, "if (t % WARP == 0) are_long[k * WARPS + t / WARP] = lanes;", &[(Change::Guard, 8)], SAME_VALUE),
    same(
        SEGMENTS,
        "for (unsigned int first = offsets[row] + t; first < end;",
        &[(Change::Guard, 1), (Change::Strictness, 2)],
        NO_ELEMENTS,
    ),
    same(
        SEGMENTS,
        "for (; first < stop; first += ROUND) {",
        &[(Change::Guard, 1), (Change::Strictness, 2)],
        NO_ELEMENTS,
    ),
    same(SEGMENTS, "const bool is_in = first + k * apart < end;", &[(Change::Strictness, 2)], IN_THE_LOOP),
    same(SEGMENTS, "column[k] = is_in ?", GUARD, IN_THE_LOOP),
    same(SEGMENTS, "value[k] = is_in ?", GUARD, IN_THE_LOOP),
    same(
        SEGMENTS,
        "for (int k = 0; k < EACH; ++k) product[k] = first + k * apart < end",
        &[(Change::Guard, 8)],
        NO_VALUE,
    ),
    same(SEGMENTS, "if (t % WARP == 0) sums[t / WARP] = sum;", GUARD, SAME_VALUE),
    same(SEGMENTS, "if (t < WARP) {", GUARD, "the other warps add up the same sums, and store nothing"),
    same(SEGMENTS, "if (t == 0) y[row] = sum;", GUARD, SAME_VALUE),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(&["sparseRowPerWarp in Rust"], "if lane == 0 {", GUARD, SAME_VALUE),
    same(GROUPS_IN_RUST, "let shift = lanes.trailing_zeros();", GUARD, TWO_LANES),
    same(IN_FLIGHT_IN_RUST, "if i + (k as u32 * lanes) < end {", GUARD, NO_VALUE),
    same(MERGE_IN_RUST, "while low < high {", GUARD, NO_ROW),
    same(MERGE_IN_RUST, "if lane == 0 {", GUARD, SAME_VALUE),
    same(
        MERGE_IN_RUST,
        "sparse_merge::<$block, $steps, $words, $warps>(",
        &[(Change::Clamp, 1)],
        "how many steps are left; a thread without any has left the loop before",
    ),
    same(MERGE_IN_RUST, "open_sum = if warp_ends.get(w) == 0", &[(Change::Selection, 1)], NO_WARP),
    same(MERGE_IN_RUST, "if t == 0 {", GUARD, SAME_VALUE),
    same(
        &["sparseAddOpen in Rust"],
        "while b < blocks && open_rows[b] == row {",
        &[(Change::Strictness, 1)],
        LAST_BLOCK,
    ),
    same(SEGMENTS_IN_RUST, "if t.is_multiple_of(WARP) {", GUARD, SAME_VALUE),
    same(SEGMENTS_IN_RUST, "if t == 0 {", GUARD, SAME_VALUE),
    same(SEGMENTS_IN_RUST, "let skipped = skips.trailing_zeros();", GUARD, "0 has 32 of them by the other way, too"),
    same(SEGMENTS_IN_RUST, "while first < stop {", &[(Change::Guard, 1), (Change::Strictness, 1)], NO_ELEMENTS),
    same(SEGMENTS_IN_RUST, "if first + (k as u32 * apart) < end {", GUARD, NO_VALUE),
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_a_product_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&of_problem("N"), &SIZES_OF_ROWS, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_a_product_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&of_problem("N"), &SIZES_OF_ROWS, EQUIVALENT_IN_RUST);
}

#[test]
fn a_mutant_of_a_product_is_noticed() {
    mutants::one_is_noticed(&of_problem("N"), &SIZES_OF_ROWS, Change::Barrier);
}
