//! Mutants of the kernels of problems L and P: a test fails for each, or it is equivalent to the kernel.

use crate::sort::{digits_in_many_blocks, one_sweep_after_others};
use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage09_patterns::STAGE;
use stage09_patterns::sort::{SORT_LOCAL, SORT_SPLIT};

/// Keys: the last one in each row of a warp, in each row of the block, and in a second tile. With 33 and with 1, the first kernel has
/// more blocks than tiles.
const SIZES_OF_KEYS: Sizes = Sizes {
    bodies: &[33, 5, 261, 549, 805, 1093, 1349, 1637, 1893, 2181, 2437, 2725, 2981, 3269, 3525, 3813, 4069, 4099, 1],
    ..SIZES
};

/// Keys: the last one in each row of a warp and of the block, two rounds of one block that counts, and nine tiles of 5888, of which seven are taken.
const SIZES_OF_TILES: Sizes = Sizes {
    bodies: &[
        33,
        37,
        293,
        549,
        805,
        1061,
        1317,
        1573,
        1829,
        2085,
        2341,
        2597,
        2853,
        3109,
        3365,
        3621,
        3877,
        4133,
        4389,
        4645,
        4901,
        5157,
        5413,
        5669,
        4096,
        20_480,
        8 * 5888 + 5,
    ],
    ..SIZES
};

const ONE_BY_ONE: &str =
    "under the checks a block ends before the next one starts, so none has to wait or to order its accesses";
const BLOCKS_OF_256: &str = "these blocks have a thread for each digit";
const ORDERED: &str = "the shuffle needs what the addition returned, and so comes after it";
const FIRST_LOOK: &str = "while the place is not known, the nearest tile is not before the first one";
const MORE_WORDS: &str = "the test before the loop: a block has fewer threads than words";

const ALL_LANES: &str = "all lanes of the warp have the same sum, and store it at the same address";
const ALSO_BY_THE_NEXT: &str = "the next warp clears this counter too; here it starts after the warp before it has";
const ROUNDS: &str = "there is at least one count, and a round behind the last one does nothing";

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["sortSplit"],
        "for (int w = 0; w < warp; ++w) before",
        &[(Change::Guard, 1)],
        "the compiler adds four sums at a time, and of eight warps at most once",
    ),
    same(&["sortSplit"], "if (lane == 0) set_in[warp] = sum;", &[(Change::Guard, 1)], ALL_LANES),
    same(
        &["sortDigits", "sortLocal"],
        "__syncwarp();",
        &[(Change::Barrier, 1)],
        "behind the last row no lane reads the places",
    ),
    same(&["sortLocal"], "if (lane < BINS) places[warp][lane] = 0;", &[(Change::Strictness, 1)], ALSO_BY_THE_NEXT),
    same(
        &["sortLocal"],
        "if (lane >= apart) value += before;",
        &[(Change::Strictness, 1)],
        "there are 16 digits, and no sum behind them is used",
    ),
    same(
        &["sortCount"],
        "for (unsigned int round = 0; round < count;",
        &[(Change::Guard, 1), (Change::Strictness, 1)],
        ROUNDS,
    ),
    same(&["sortCount"], "__threadfence();", &[(Change::Fence, 1)], ONE_BY_ONE),
    same(&["sortCount"], "__syncthreads();", &[(Change::Barrier, 1)], ONE_BY_ONE),
    same(&["sortCount"], "if (t == 0) *done = 0;", &[(Change::Guard, 1)], "all threads store the same"),
];

/// Of the twins in Rust.
const EQUIVALENT_IN_RUST: &[Equivalent] = &[
    same(&["sortSplit in Rust"], "if lane == 0 {", &[(Change::Guard, 1)], ALL_LANES),
    same(&["sortLocal in Rust"], "if lane < BINS {", &[(Change::Strictness, 1)], ALSO_BY_THE_NEXT),
    same(
        &["sortLocal in Rust"],
        "if lane >= apart {",
        &[(Change::Selection, 1)],
        "lane 31 has no digit, so that lane 0 adds nothing",
    ),
    same(&["sortCount in Rust"], "while round < count {", &[(Change::Guard, 1), (Change::Strictness, 1)], ROUNDS),
    same(&["sortCount in Rust"], "thread_fence();", &[(Change::Fence, 1)], ONE_BY_ONE),
    same(&["sortCount in Rust"], "sync_threads();", &[(Change::Barrier, 1)], ONE_BY_ONE),
];

const SWEEPING: &[&str] = &["sortOneSweep_256", "sortPairs_256"];
const EQUIVALENT_ONE_SWEEP: &[Equivalent] = &[
    same(
        SWEEPING,
        "for (int k = 0; k < LOOKS && word[k] != 0 && !is_known; ++k) {",
        &[(Change::HalfCondition, 3), (Change::Guard, 1)],
        ONE_BY_ONE,
    ),
    same(SWEEPING, "for (int k = 0; k < LOOKS; ++k) word[k] = load_relaxed(", &[(Change::Clamp, 1)], FIRST_LOOK),
    same(
        SWEEPING,
        "for (int digit = lane; digit < BINS; digit += WARP) places",
        &[(Change::Strictness, 1)],
        "the test before the loop: no lane is negative",
    ),
    same(SWEEPING, "if (own_tile > 0) store_relaxed", &[(Change::Guard, 1)], ONE_BY_ONE),
    same(SWEEPING, "if (t < BINS) {", &[(Change::Guard, 2)], BLOCKS_OF_256),
    same(SWEEPING, "if (t < BINS) moves[t] =", &[(Change::Guard, 1)], BLOCKS_OF_256),
    same(SWEEPING, "__syncwarp();", &[(Change::Barrier, 23)], ORDERED),
    same(&["sortHistograms"], "__threadfence();", &[(Change::Fence, 2)], ONE_BY_ONE),
    same(&["sortHistograms"], "__syncthreads();", &[(Change::Barrier, 1)], ONE_BY_ONE),
    same(
        &["sortHistograms"],
        "for (int b = t; b < PASSES * BINS * COPIES; b += BLOCK) copies[b] = 0;",
        &[(Change::Guard, 3), (Change::Clamp, 1), (Change::Strictness, 2)],
        MORE_WORDS,
    ),
];

const SWEEPING_IN_RUST: &[&str] = &["sortOneSweep_256 in Rust", "sortPairs_256 in Rust"];
/// Of the twins in Rust.
const EQUIVALENT_ONE_SWEEP_IN_RUST: &[Equivalent] = &[
    same(SWEEPING_IN_RUST, "is_known = word[k] >= OF_ALL;", &[(Change::Strictness, 1)], ONE_BY_ONE),
    same(
        SWEEPING_IN_RUST,
        "if word[k] == 0 || is_known {",
        &[(Change::Strictness, 1), (Change::HalfCondition, 1)],
        ONE_BY_ONE,
    ),
    same(SWEEPING_IN_RUST, "word[k] = word_of((last - k as i32).max(0) as u32)", &[(Change::Clamp, 1)], FIRST_LOOK),
    same(SWEEPING_IN_RUST, "sync_warp(ALL_LANES);", &[(Change::Barrier, 1)], ORDERED),
    same(&["sortHistograms in Rust"], "thread_fence();", &[(Change::Fence, 2)], ONE_BY_ONE),
    same(&["sortHistograms in Rust"], "sync_threads();", &[(Change::Barrier, 1)], ONE_BY_ONE),
];

/// Returns the kernels that count before each pass.
fn counting() -> Stage {
    let digits: &Rung = Box::leak(Box::new(digits_in_many_blocks()));
    Stage { rungs: vec![digits, &SORT_SPLIT, &SORT_LOCAL].leak(), ..STAGE }
}

/// Returns the kernels of one launch per pass, after others if there are enough tiles.
fn in_one_sweep() -> Stage {
    let rungs = one_sweep_after_others().map(|rung| -> &Rung { Box::leak(Box::new(Rung { block: 256, ..rung })) });
    Stage { rungs: rungs.to_vec().leak(), ..STAGE }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_a_sort_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&counting(), &SIZES_OF_KEYS, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_a_sort_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&counting(), &SIZES_OF_KEYS, EQUIVALENT_IN_RUST);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_one_sweep_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&in_one_sweep(), &SIZES_OF_TILES, EQUIVALENT_ONE_SWEEP);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_of_one_sweep_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&in_one_sweep(), &SIZES_OF_TILES, EQUIVALENT_ONE_SWEEP_IN_RUST);
}

#[test]
fn a_mutant_of_a_sort_is_noticed() {
    let few = Sizes { bodies: &[33, 261], blocks: &[], ..SIZES };
    mutants::one_is_noticed(&counting(), &few, Change::Barrier);
    mutants::one_is_noticed(&in_one_sweep(), &few, Change::Barrier);
}
