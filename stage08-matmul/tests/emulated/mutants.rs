//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage08_matmul::{
    MATMUL_COALESCED, MATMUL_NAIVE, MATMUL_REGISTER_COLUMN, MATMUL_REGISTER_TILE, MATMUL_TILE, STAGE,
};

/// The kernels that test where the matrix ends.
static WITH_EDGES: [&Rung; 5] =
    [&MATMUL_NAIVE, &MATMUL_COALESCED, &MATMUL_TILE, &MATMUL_REGISTER_COLUMN, &MATMUL_REGISTER_TILE];

/// The matrix ends at each of a thread's eight rows and columns, in each quarter of a tile, and in a second tile.
const SIZES_OF_EDGES: Sizes = Sizes { bodies: &[33, 1, 2, 3, 4, 5, 6, 7, 8, 65, 98, 129], ..SIZES };

/// One tile without padding, and four with padding.
const SIZES_OF_TILES: Sizes = Sizes { bodies: &[128, 129], ..SIZES };

/// As many tiles as a pipeline has stages, fewer, and more.
const SIZES_OF_STAGES: Sizes = Sizes { bodies: &[128, 257], ..SIZES };

/// The loop over a thread's elements of both tiles of `matmulRegisterTile` has four rounds for each of 256 threads, which the
/// compiler does not know: it adds loops for one to three elements, which no thread enters.
const NEVER_ENTERED: &str = "in the loops for one to three elements, which no thread enters";

const EQUIVALENT_WITH_EDGES: &[Equivalent] = &[
    same(
        &["matmulNaive", "matmulCoalesced"],
        "for (int k = 0; k < n; ++k) sum +=",
        &[(Change::Guard, 1)],
        "the test before the loop: n is at least 1",
    ),
    same(
        &["matmulTile"],
        "for (int first = 0; first < n; first += TILE) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, and a tile past n adds 0",
    ),
    same(
        &["matmulRegisterColumn"],
        "for (int first = 0; first < n; first += DEPTH) {",
        &[(Change::Strictness, 2)],
        "n is at least 1, and a tile past n adds 0",
    ),
    same(
        &["matmulRegisterTile"],
        "for (int first = 0; first < n; first += DEPTH) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "n is at least 1, and a tile past n adds 0",
    ),
    same(
        &["matmulRegisterTile"],
        "for (int e = t; e < TILE * DEPTH; e += THREADS) {",
        &[(Change::Clamp, 5), (Change::Guard, 5)],
        "the number of rounds, which is four in any case",
    ),
    same(
        &["matmulRegisterTile"],
        "const int t = threadIdx.x;",
        &[(Change::Strictness, 1)],
        "the test whether t is below 1024",
    ),
    same(
        &["matmulRegisterTile"],
        "tile_a[e / DEPTH][e % DEPTH] =",
        &[(Change::Strictness, 6), (Change::HalfCondition, 6), (Change::Guard, 3)],
        NEVER_ENTERED,
    ),
    same(
        &["matmulRegisterTile"],
        "tile_b[e / TILE][e % TILE] =",
        &[(Change::Strictness, 3), (Change::HalfCondition, 6), (Change::Guard, 3)],
        NEVER_ENTERED,
    ),
    same(
        &["matmulRegisterTile"],
        "const int first_row = blockIdx.y * TILE,",
        &[(Change::Strictness, 3)],
        NEVER_ENTERED,
    ),
];

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["matmulVector", "matmulWarpTile"],
        "for (int first = 0; first < n; first += DEPTH) {",
        &[(Change::Strictness, 1)],
        "the test before the loop: n is at least 128",
    ),
    same(
        &["matmulAsyncCopy"],
        "for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {",
        &[(Change::Strictness, 1)],
        "the test before the loop: n is at least 128",
    ),
    same(
        &["matmulPrefetch", "matmulRegisterBanks", "matmulTallTile"],
        "for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "the test before the loop: n is at least 128",
    ),
];

const EQUIVALENT_ON_TENSOR_CORES: &[Equivalent] = &[
    same(
        &["matmulTensor"],
        "for (int first = 0; first < n; first += DEPTH) {",
        &[(Change::Strictness, 1)],
        "the test before the loop: n is at least 128",
    ),
    same(
        &["matmulTensorSwizzle", "matmulTensorPrefetch"],
        "for (int first = 0; first < n; first += DEPTH) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "the test before the loop: n is at least 128",
    ),
    same(
        &["matmulTensorPipeline", "matmulTensorWideTile"],
        "for (int first = 0, stage = 0; first < n; first += DEPTH, stage = (stage + 1) % STAGES) {",
        &[(Change::Strictness, 1), (Change::Guard, 1)],
        "the test before the loop: n is at least 128",
    ),
    same(
        &["matmulWarpgroup"],
        "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        &[(Change::Fence, 1)],
        "the fence is for other blocks of a cluster and for copies, which the barrier of the block precedes",
    ),
    same(
        &["matmulWarpgroup"],
        "for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {",
        &[(Change::Guard, 2), (Change::Strictness, 2)],
        "at these sizes a block has one tile, and n is at least 256",
    ),
    same(
        &["matmulWarpgroup"],
        "for (int tile = blockIdx.x; t == 0 && tile < down * across; tile += gridDim.x) {",
        &[(Change::Guard, 1), (Change::Strictness, 2), (Change::HalfCondition, 1)],
        "at these sizes a block has one tile, and n is at least 256",
    ),
    same(
        &["matmulWarpgroup"],
        "for (int step = 0; step < steps; ++step, next_stage()) {",
        &[(Change::Guard, 2), (Change::Strictness, 1)],
        "the test before the loop: n is at least 256; or one more stage is copied, for which nobody waits",
    ),
    same(
        &["matmulWarpgroup"],
        "const int first = tile / (BAND * across) * BAND, rows = min(BAND, down - first),",
        &[(Change::Clamp, 2)],
        "at these sizes there is one band, of fewer rows",
    ),
    same(
        &["matmulWarpgroup"],
        "} while (!over);",
        &[(Change::Guard, 2)],
        "the instruction waits until the phase is over",
    ),
    same(
        &["matmulWarpgroup"],
        "if (lane == 0) arrive(empty + last * 8);",
        &[(Change::Guard, 1)],
        "nobody waits for the last stage",
    ),
    same(
        &["matmulCluster"],
        "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        &[(Change::Fence, 1)],
        "the barrier of the cluster, which follows, orders the same",
    ),
    same(
        &["matmulCluster"],
        "for (int square = first_square; square < side * side; square += squares_apart) {",
        &[(Change::Guard, 2), (Change::Strictness, 2)],
        "at these sizes a cluster has one square, and n is at least 256",
    ),
    same(
        &["matmulCluster"],
        "for (int square = first_square; t == 0 && square < side * side; square += squares_apart) {",
        &[(Change::Guard, 1), (Change::Strictness, 1), (Change::HalfCondition, 1)],
        "at these sizes a cluster has one square",
    ),
    same(
        &["matmulCluster"],
        "const int first_square = blockIdx.x / BLOCKS, squares_apart = gridDim.x / BLOCKS;",
        &[(Change::Strictness, 1)],
        "the test before the loop over the steps: n is at least 256",
    ),
    same(
        &["matmulCluster"],
        "for (int step = 0; step < steps; ++step, next_stage()) {",
        &[(Change::Guard, 2), (Change::Strictness, 1)],
        "the test before the loop: n is at least 256; or one more stage is copied, for which nobody waits",
    ),
    same(
        &["matmulCluster"],
        "const int first = square / (BAND * side) * BAND, rows = min(BAND, side - first),",
        &[(Change::Clamp, 2)],
        "at these sizes there is one band, of fewer rows",
    ),
    same(
        &["matmulCluster"],
        "} while (!over);",
        &[(Change::Guard, 2)],
        "the instruction waits until the phase is over",
    ),
    same(
        &["matmulCluster"],
        "const int warp = t / 32, lane = t % 32;",
        &[(Change::Strictness, 1)],
        "which lanes arrive at the last stage, for which nobody waits",
    ),
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_kernels_with_edges_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&Stage { rungs: &WITH_EDGES, ..STAGE }, &SIZES_OF_EDGES, EQUIVALENT_WITH_EDGES);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_in_rust_is_noticed_or_does_the_same() {
    mutants::all_in_rust_are_noticed(&Stage { rungs: &WITH_EDGES, ..STAGE }, &SIZES_OF_EDGES, &[]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_kernels_of_whole_tiles_is_noticed_or_does_the_same() {
    let rungs = of_problem("G").skip(WITH_EDGES.len()).collect::<Vec<_>>();
    mutants::all_are_noticed(&Stage { rungs: rungs.leak(), ..STAGE }, &SIZES_OF_TILES, EQUIVALENT);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_of_kernels_on_tensor_cores_is_noticed_or_does_the_same() {
    let rungs = of_problem("G16").collect::<Vec<_>>();
    mutants::all_are_noticed(&Stage { rungs: rungs.leak(), ..STAGE }, &SIZES_OF_STAGES, EQUIVALENT_ON_TENSOR_CORES);
}

/// Returns the stage's kernels of a problem.
fn of_problem(letter: &str) -> impl Iterator<Item = &'static Rung> {
    STAGE.rungs.iter().copied().filter(move |rung| rung.work.facts().letter == letter)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_mutant_is_noticed() {
    mutants::one_is_noticed(&STAGE, &SIZES_OF_TILES, Change::Barrier);
}
