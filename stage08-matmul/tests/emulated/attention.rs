//! The counts on the cards of problem I's kernels, compared with the emulator's.

use common::stage::{Rung, Shape, Stage};
use emulator::Counters;
use stage_tests::counts::counts;
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage08_matmul::STAGE;
use stage08_matmul::attention::{
    ATTENTION_FUSED, ATTENTION_OVERLAP, ATTENTION_TENSOR, ATTENTION_THROUGH_MEMORY, ATTENTION_TURNS,
    ATTENTION_WARPGROUP,
};

/// A tile of queries and of keys.
const N: u64 = 64;
/// The default.
const HEADS: u64 = 16;
/// Elements of a head.
const D: u64 = 64;
/// The bytes of a sector.
const SECTOR: u64 = 32;

fn of(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape::block(rung.block))
}

#[test]
fn scores_are_written_twice_and_read_four_times_or_never() {
    let [memory, fused] = [&ATTENTION_THROUGH_MEMORY, &ATTENTION_FUSED].map(of);
    let scores = HEADS * N * N * 4 / SECTOR;
    let outputs = HEADS * N * D * 4 / SECTOR;
    assert_eq!(memory.global_store_sectors, 2 * scores + outputs);
    assert_eq!(fused.global_store_sectors, outputs);
    // For the largest score, the sum, the weight, and the values.
    assert_eq!(memory.global_load_sectors - fused.global_load_sectors, 4 * scores);
}

#[test]
fn weights_and_tiles_have_no_bank_conflicts() {
    for rung in [&ATTENTION_THROUGH_MEMORY, &ATTENTION_FUSED, &ATTENTION_TENSOR] {
        let count = of(rung);
        assert_eq!((count.shared_load_conflicts, count.shared_store_conflicts), (0, 0), "{}", rung.kernel);
    }
}

#[test]
fn tensor_cores_multiply_2048_terms_an_instruction() {
    let [fused, tensor] = [&ATTENTION_FUSED, &ATTENTION_TENSOR].map(of);
    let terms = 2 * HEADS * N * N * D;
    assert!(fused.classes.float > terms / 32, "{:?}", fused.classes);
    assert_eq!(tensor.classes.matrix, terms / 2048);
    // The tile has four barriers, and the queries of a block two, for each of four warps.
    assert_eq!(tensor.barriers, HEADS * 4 * (2 + 4));
}

#[test]
fn a_warpgroup_multiplies_up_to_131072_terms_an_instruction_without_loads() {
    let n = 2 * N;
    let [tensor, warpgroup, overlap, turns] =
        [&ATTENTION_TENSOR, &ATTENTION_WARPGROUP, &ATTENTION_OVERLAP, &ATTENTION_TURNS]
            .map(|rung| counts(rung, n as usize, Shape::block(rung.block)));
    // 64 x 128 scores, or 64 x 64 sums of values, with 16 terms each, for four warps.
    let terms = HEADS * n * n * D;
    assert_eq!(warpgroup.classes.matrix, terms * 4 / (64 * 128 * 16) + terms * 4 / (64 * 64 * 16));
    assert_eq!(warpgroup.classes.matrix * 32, tensor.classes.matrix * 3);
    for count in [warpgroup, overlap, turns] {
        assert_eq!(count.classes.matrix, warpgroup.classes.matrix);
        assert_eq!((count.global_load_requests, count.shared_load_wavefronts), (0, 0));
    }
}

/// The changes of these kernels. Without comparisons and maxima: most comparisons are of loops with a fixed number of rounds, and
/// any number near a row's largest score cancels like the largest one.
const CHANGES: &[Change] = &[
    Change::Barrier,
    Change::Guard,
    Change::Selection,
    Change::Mask,
    Change::Fence,
    Change::Copies,
    Change::Phase,
    Change::Wrap,
];

/// Parts of a tile, a second one in part, and rows of scores that take a warp two rounds of four.
const SIZES_OF_ROWS: Sizes =
    Sizes { heads: &[(1, 1, 0), (70, 1, 0), (70, 1, 1), (256, 1, 1), (256, 1, 0)], changes: CHANGES, ..SIZES };

/// Parts of a tile with few keys, whose weights count, and a second and third tile in part.
const SIZES_OF_TILES: Sizes =
    Sizes { heads: &[(1, 1, 0), (5, 1, 0), (13, 1, 0), (70, 1, 0), (130, 1, 1)], changes: CHANGES, ..SIZES };

/// The same, and more tiles than both stages of a pipeline have twice.
const SIZES_OF_STAGES: Sizes =
    Sizes { heads: &[(1, 1, 0), (5, 1, 0), (13, 1, 0), (400, 1, 1)], changes: CHANGES, ..SIZES };

/// Without selections, which hide keys as in 34.
const SIZES_OF_OTHER_PIPELINES: Sizes = Sizes {
    changes: &[
        Change::Barrier,
        Change::Guard,
        Change::Mask,
        Change::Fence,
        Change::Copies,
        Change::Phase,
        Change::Wrap,
    ],
    ..SIZES_OF_STAGES
};

/// The compiler does not know that there are as many rounds as for any other thread: it tests for each whether it is the last one,
/// and adds loops that no thread enters.
const FIXED_ROUNDS: &str = "the number of rounds, which is the same for all threads";
const SOME_KEYS: &str = "there is at least one key";
const MORE_TILES: &str = "tiles past those of a block's queries, whose weights are 0";
const LARGEST: &str = "other scores take part in the largest, or fewer; it cancels unless they are far apart";
const FIRST_EIGHT: &str = "a query in the second eight rows of a warp sees the first eight keys of a tile";

const EQUIVALENT_THROUGH_MEMORY: &[Equivalent] = &[
    same(
        &["attentionThroughMemory_64"],
        "for (int d = threadIdx.x / TILE * EACH; d < D; d += THREADS / TILE * EACH) {",
        &[(Change::Guard, 8)],
        FIXED_ROUNDS,
    ),
    same(
        &["attentionThroughMemory_64"],
        "for (int i = threadIdx.x * EACH; i < TILE * COLUMNS; i += THREADS * EACH)",
        &[(Change::Guard, 11)],
        FIXED_ROUNDS,
    ),
    same(
        &["attentionThroughMemory_64"],
        "const int keys = causal ? min(first_query + TILE, n) : n;",
        &[(Change::Selection, 1)],
        MORE_TILES,
    ),
    same(
        &["attentionThroughMemory_64"],
        "for (int first = 0; first < keys; first += TILE) {",
        &[(Change::Guard, 2)],
        SOME_KEYS,
    ),
    same(
        &["attentionThroughMemory_64"],
        "for (int j = lane; j < count; j += WARP) largest =",
        &[(Change::Guard, 3)],
        LARGEST,
    ),
    same(
        &["attentionThroughMemory_64"],
        "for (int j = lane; j < (keys + TILE - 1) / TILE * TILE; j += WARP)",
        &[(Change::Guard, 2)],
        "the test before the loop: a tile has more keys than a warp lanes",
    ),
    same(
        &["attentionThroughMemory_64"],
        "row[j] = j < count ? expf(row[j] * scale - largest) / sum : 0;",
        &[(Change::Guard, 4)],
        "the first two rounds of four: only the last two of a tile go past the last key",
    ),
];

const EQUIVALENT_OF_TILES: &[Equivalent] = &[
    same(
        &["attentionFused_64"],
        "for (int d = threadIdx.x / TILE * EACH; d < D; d += THREADS / TILE * EACH) {",
        &[(Change::Guard, 8)],
        FIXED_ROUNDS,
    ),
    same(
        &["attentionFused_64"],
        "for (int i = threadIdx.x * EACH; i < TILE * D; i += THREADS * EACH)",
        &[(Change::Guard, 6)],
        FIXED_ROUNDS,
    ),
    same(
        &["attentionTensor_64"],
        "for (int i = threadIdx.x * GROUP; i < TILE * D; i += THREADS * GROUP)",
        &[(Change::Guard, 19)],
        FIXED_ROUNDS,
    ),
    same(
        &["attentionFused_64", "attentionTensor_64"],
        "const int keys = causal ? min(first_query + TILE, n) : n;",
        &[(Change::Selection, 1)],
        MORE_TILES,
    ),
    same(
        &["attentionFused_64"],
        "for (int first = 0; first < keys; first += TILE) {",
        &[(Change::Guard, 1)],
        SOME_KEYS,
    ),
    same(
        &["attentionTensor_64"],
        "if (first + TILE > (causal ? first_query : n)) {",
        &[(Change::Guard, 1)],
        "the other tiles have no keys to hide",
    ),
    same(
        &["attentionTensor_64"],
        "if (first + j * 8 + lane % 4 * 2 + e >= count) p[j][i * 2 + e] = LOWEST;",
        &[(Change::Selection, 2)],
        FIRST_EIGHT,
    ),
];

const FENCE: &str =
    "the fence is for other blocks of a cluster and for copies, which the barrier of the block precedes";
const WAITS: &str = "on the emulator, the instruction waits until the phase is over";
const PARITY: &str = "the parity is 0";

/// The second half is not the same, but nobody could notice it.
const HIDDEN_KEYS: &str = "a query in the second eight rows of a warp sees the first eight keys of a tile, if later keys are \
    left out; else, what up to seven keys past more than 128 add, with scores of 0, is less than the tolerance of bf16";

const EQUIVALENT_WARPGROUP: &[Equivalent] = &[
    same(&["attentionWarpgroup_64"], "} while (!over);", &[(Change::Guard, 5)], WAITS),
    same(&["attentionWarpgroup_64"], ": \"r\"(barrier), \"r\"(parity)", &[(Change::Phase, 1)], PARITY),
    same(
        &["attentionWarpgroup_64"],
        "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        &[(Change::Fence, 1)],
        FENCE,
    ),
    same(&["attentionWarpgroup_64"], "for (int step = 0; step < tiles; ++step) {", &[(Change::Guard, 1)], SOME_KEYS),
    same(
        &["attentionWarpgroup_64"],
        "if (step > 0) rescale_results();",
        &[(Change::Guard, 1)],
        "the products of the first tile replace the results",
    ),
    same(
        &["attentionWarpgroup_64"],
        "if (j * 8 + lane % 4 * 2 + e >= count) p[j * 4 + i * 2 + e] = LOWEST;",
        &[(Change::Selection, 4)],
        HIDDEN_KEYS,
    ),
];

const EQUIVALENT_OF_OTHER_PIPELINES: &[Equivalent] = &[
    same(&["attentionOverlap_64", "attentionTurns_64"], "} while (!over);", &[(Change::Guard, 7)], WAITS),
    same(
        &["attentionOverlap_64", "attentionTurns_64"],
        ": \"r\"(barrier), \"r\"(parity)",
        &[(Change::Phase, 2)],
        PARITY,
    ),
    same(
        &["attentionOverlap_64", "attentionTurns_64"],
        "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        &[(Change::Fence, 1)],
        FENCE,
    ),
    same(
        &["attentionOverlap_64", "attentionTurns_64"],
        "for (int step = 0; step < tiles; ++step) {",
        &[(Change::Guard, 1)],
        SOME_KEYS,
    ),
    same(
        &["attentionTurns_64"],
        "asm volatile(\"bar.sync %0, 256;\" ::\"r\"(group) : \"memory\");",
        &[(Change::Barrier, 1)],
        "a turn only decides when products begin",
    ),
    same(
        &["attentionTurns_64"],
        "if (group == 2) end_turn(group);",
        &[(Change::Guard, 1)],
        "both warpgroups are then a turn ahead, which only decides when products begin",
    ),
];

static THROUGH_MEMORY: [&Rung; 1] = [&ATTENTION_THROUGH_MEMORY];
static OF_TILES: [&Rung; 2] = [&ATTENTION_FUSED, &ATTENTION_TENSOR];
static WARPGROUP: [&Rung; 1] = [&ATTENTION_WARPGROUP];
static OTHER_PIPELINES: [&Rung; 2] = [&ATTENTION_OVERLAP, &ATTENTION_TURNS];

fn all_are_noticed(rungs: &'static [&Rung], sizes: &Sizes, equivalent: &[Equivalent]) {
    mutants::all_are_noticed(&Stage { rungs, ..STAGE }, sizes, equivalent);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_with_scores_in_memory_is_noticed_or_does_the_same() {
    all_are_noticed(&THROUGH_MEMORY, &SIZES_OF_ROWS, EQUIVALENT_THROUGH_MEMORY);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_with_tiles_of_64_keys_is_noticed_or_does_the_same() {
    all_are_noticed(&OF_TILES, &SIZES_OF_TILES, EQUIVALENT_OF_TILES);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_with_a_pipeline_is_noticed_or_does_the_same() {
    all_are_noticed(&WARPGROUP, &SIZES_OF_STAGES, EQUIVALENT_WARPGROUP);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_with_an_overlap_is_noticed_or_does_the_same() {
    all_are_noticed(&OTHER_PIPELINES, &SIZES_OF_OTHER_PIPELINES, EQUIVALENT_OF_OTHER_PIPELINES);
}
