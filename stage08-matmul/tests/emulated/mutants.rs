//! Mutants of the stage's kernels: a test fails for each, or it is equivalent to the kernel.

use common::stage::{Rung, Stage};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes};
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
    Equivalent {
        kernels: &["matmulNaive", "matmulCoalesced"],
        code: "for (int k = 0; k < n; ++k) sum +=",
        changes: &[(Change::Guard, 1)],
        reason: "the test before the loop: n is at least 1",
    },
    Equivalent {
        kernels: &["matmulTile"],
        code: "for (int first = 0; first < n; first += TILE) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "n is at least 1, and a tile past n adds 0",
    },
    Equivalent {
        kernels: &["matmulRegisterColumn"],
        code: "for (int first = 0; first < n; first += DEPTH) {",
        changes: &[(Change::Strictness, 2)],
        reason: "n is at least 1, and a tile past n adds 0",
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "for (int first = 0; first < n; first += DEPTH) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "n is at least 1, and a tile past n adds 0",
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "for (int e = t; e < TILE * DEPTH; e += THREADS) {",
        changes: &[(Change::Clamp, 5), (Change::Guard, 5)],
        reason: "the number of rounds, which is four in any case",
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "const int t = threadIdx.x;",
        changes: &[(Change::Strictness, 1)],
        reason: "the test whether t is below 1024",
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "tile_a[e / DEPTH][e % DEPTH] =",
        changes: &[(Change::Strictness, 6), (Change::HalfCondition, 6), (Change::Guard, 3)],
        reason: NEVER_ENTERED,
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "tile_b[e / TILE][e % TILE] =",
        changes: &[(Change::Strictness, 3), (Change::HalfCondition, 6), (Change::Guard, 3)],
        reason: NEVER_ENTERED,
    },
    Equivalent {
        kernels: &["matmulRegisterTile"],
        code: "const int first_row = blockIdx.y * TILE,",
        changes: &[(Change::Strictness, 3)],
        reason: NEVER_ENTERED,
    },
];

const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        kernels: &["matmulVector", "matmulWarpTile"],
        code: "for (int first = 0; first < n; first += DEPTH) {",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop: n is at least 128",
    },
    Equivalent {
        kernels: &["matmulAsyncCopy"],
        code: "for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop: n is at least 128",
    },
    Equivalent {
        kernels: &["matmulPrefetch", "matmulRegisterBanks", "matmulTallTile"],
        code: "for (int first = 0, stage = 0; first < n; first += DEPTH, stage ^= 1) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "the test before the loop: n is at least 128",
    },
];

const EQUIVALENT_ON_TENSOR_CORES: &[Equivalent] = &[
    Equivalent {
        kernels: &["matmulTensor"],
        code: "for (int first = 0; first < n; first += DEPTH) {",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop: n is at least 128",
    },
    Equivalent {
        kernels: &["matmulTensorSwizzle", "matmulTensorPrefetch"],
        code: "for (int first = 0; first < n; first += DEPTH) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "the test before the loop: n is at least 128",
    },
    Equivalent {
        kernels: &["matmulTensorPipeline", "matmulTensorWideTile"],
        code: "for (int first = 0, stage = 0; first < n; first += DEPTH, stage = (stage + 1) % STAGES) {",
        changes: &[(Change::Strictness, 1), (Change::Guard, 1)],
        reason: "the test before the loop: n is at least 128",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        changes: &[(Change::Fence, 1)],
        reason: "the fence is for other blocks of a cluster and for copies, which the barrier of the block precedes",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {",
        changes: &[(Change::Guard, 2), (Change::Strictness, 2)],
        reason: "at these sizes a block has one tile, and n is at least 256",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "for (int tile = blockIdx.x; t == 0 && tile < down * across; tile += gridDim.x) {",
        changes: &[(Change::Guard, 1), (Change::Strictness, 2), (Change::HalfCondition, 1)],
        reason: "at these sizes a block has one tile, and n is at least 256",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "for (int step = 0; step < steps; ++step, next_stage()) {",
        changes: &[(Change::Guard, 2), (Change::Strictness, 1)],
        reason: "the test before the loop: n is at least 256; or one more stage is copied, for which nobody waits",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "const int first = tile / (BAND * across) * BAND, rows = min(BAND, down - first),",
        changes: &[(Change::Clamp, 2)],
        reason: "at these sizes there is one band, of fewer rows",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "} while (!over);",
        changes: &[(Change::Guard, 2)],
        reason: "the instruction waits until the phase is over",
    },
    Equivalent {
        kernels: &["matmulWarpgroup"],
        code: "if (lane == 0) arrive(empty + last * 8);",
        changes: &[(Change::Guard, 1)],
        reason: "nobody waits for the last stage",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");",
        changes: &[(Change::Fence, 1)],
        reason: "the barrier of the cluster, which follows, orders the same",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "for (int square = first_square; square < side * side; square += squares_apart) {",
        changes: &[(Change::Guard, 2), (Change::Strictness, 2)],
        reason: "at these sizes a cluster has one square, and n is at least 256",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "for (int square = first_square; t == 0 && square < side * side; square += squares_apart) {",
        changes: &[(Change::Guard, 1), (Change::Strictness, 1), (Change::HalfCondition, 1)],
        reason: "at these sizes a cluster has one square",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "const int first_square = blockIdx.x / BLOCKS, squares_apart = gridDim.x / BLOCKS;",
        changes: &[(Change::Strictness, 1)],
        reason: "the test before the loop over the steps: n is at least 256",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "for (int step = 0; step < steps; ++step, next_stage()) {",
        changes: &[(Change::Guard, 2), (Change::Strictness, 1)],
        reason: "the test before the loop: n is at least 256; or one more stage is copied, for which nobody waits",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "const int first = square / (BAND * side) * BAND, rows = min(BAND, side - first),",
        changes: &[(Change::Clamp, 2)],
        reason: "at these sizes there is one band, of fewer rows",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "} while (!over);",
        changes: &[(Change::Guard, 2)],
        reason: "the instruction waits until the phase is over",
    },
    Equivalent {
        kernels: &["matmulCluster"],
        code: "const int warp = t / 32, lane = t % 32;",
        changes: &[(Change::Strictness, 1)],
        reason: "which lanes arrive at the last stage, for which nobody waits",
    },
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
