//! The counts on the cards of problem H's kernels, compared with the emulator's.

use common::stage::{Rung, Shape, Stage};
use emulator::Counters;
use stage_tests::counts::{FULL_SECTORS, counts};
use stage_tests::mutants::{self, Change, Equivalent, SIZES, Sizes, same};
use stage08_matmul::STAGE;
use stage08_matmul::softmax::{SOFTMAX_ONLINE, SOFTMAX_PREFETCH, SOFTMAX_REGISTERS, SOFTMAX_THREE_PASSES};

/// Rows of 1024 columns.
const N: u64 = 32;
/// Words of the matrix, by full warps.
const WORDS: u64 = N * 1024 / 32;

fn of(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape { grid: Some(1), block: rung.block })
}

fn loads_and_stores(count: &Counters) -> [u64; 4] {
    let Counters { global_load_requests, global_load_sectors, global_store_requests, global_store_sectors, .. } =
        *count;
    [global_load_requests, global_load_sectors, global_store_requests, global_store_sectors]
}

#[test]
fn an_online_sum_saves_a_pass_and_registers_save_another() {
    let [three, online, registers] = [&SOFTMAX_THREE_PASSES, &SOFTMAX_ONLINE, &SOFTMAX_REGISTERS].map(of);
    assert_eq!(loads_and_stores(&three), [3 * WORDS, 3 * FULL_SECTORS * WORDS, WORDS, FULL_SECTORS * WORDS]);
    assert_eq!(loads_and_stores(&online), [2 * WORDS, 2 * FULL_SECTORS * WORDS, WORDS, FULL_SECTORS * WORDS]);
    assert_eq!(loads_and_stores(&registers), [WORDS / 4, FULL_SECTORS * WORDS, WORDS / 4, FULL_SECTORS * WORDS]);
    // A row has eight warps.
    assert_eq!([three.barriers, online.barriers, registers.barriers], [N * 8 * 4, N * 8, 0]);
}

#[test]
fn copies_take_the_place_of_loads() {
    let count = of(&SOFTMAX_PREFETCH);
    assert_eq!((count.global_load_requests, count.async_copy_requests), (0, WORDS / 4));
    assert_eq!((count.shared_load_requests, count.shared_load_conflicts), (WORDS / 4, 0));
}

/// Rows, and columns of rows: around four, a warp, a block, and the rows of several warps.
const SIZES_OF_ROWS: Sizes = Sizes {
    planes: &[
        (99, 30, 1),
        (35, 5, 1),
        (9, 1, 1),
        (20, 200, 1),
        (20, 255, 1),
        (20, 257, 1),
        (20, 450, 1),
        (60, 700, 1),
        (20, 850, 1),
        (20, 1000, 1),
        (40, 1030, 1),
        (200, 1024, 1),
        (60, 2300, 1),
        (40, 5000, 1),
        (20, 20_000, 1),
    ],
    ..SIZES
};

/// The compiler unrolls the loops over warps by four. These kernels run in blocks of eight warps here, and rows have a power of
/// two of warps.
const NUMBER_OF_WARPS: &str = "tests of the number of warps left, which do the same for eight and for powers of two";
const LOWEST: &str = "the lowest number, with which the maximum begins";
/// After the shuffles.
const SAME_VALUE: &str = "all lanes of a warp store the same value";
const ONE_WARP: &str = "a row of one warp then reads what the warp has stored";

const EQUIVALENT: &[Equivalent] = &[
    same(
        &["softmaxThreePasses"],
        "__syncthreads();",
        &[(Change::Barrier, 1)],
        "the first barrier of the first call: no warp has read values before",
    ),
    same(
        &["softmaxThreePasses"],
        "for (int warp = 1; warp < blockDim.x / WARP; ++warp) value =",
        &[(Change::Guard, 8), (Change::Strictness, 3), (Change::Clamp, 2)],
        NUMBER_OF_WARPS,
    ),
    same(
        &["softmaxThreePasses"],
        "if (threadIdx.x % WARP == 0) values[threadIdx.x / WARP] = value;",
        &[(Change::Guard, 2)],
        SAME_VALUE,
    ),
    same(
        &["softmaxOnline"],
        "for (int warp = 1; warp < blockDim.x / WARP; ++warp) part =",
        &[(Change::Guard, 4), (Change::Strictness, 2), (Change::Clamp, 1)],
        NUMBER_OF_WARPS,
    ),
    same(
        &["softmaxRegisters"],
        "for (int i = 1; i < warps; ++i) value =",
        &[(Change::Guard, 4), (Change::Strictness, 2)],
        NUMBER_OF_WARPS,
    ),
    same(&["softmaxPrefetch"], "for (int i = 1; i < warps; ++i) value =", &[(Change::Guard, 6)], NUMBER_OF_WARPS),
    same(&["softmaxPrefetch"], "for (int i = 0; i < GROUPS; ++i) {", &[(Change::Strictness, 2)], NUMBER_OF_WARPS),
    same(&["softmaxRegisters"], "for (int i = 0; i < GROUPS; ++i) largest =", &[(Change::Clamp, 1)], LOWEST),
    same(&["softmaxPrefetch"], "largest = fmaxf(largest, fmaxf(fmaxf(x[i].x,", &[(Change::Clamp, 1)], LOWEST),
    same(&["softmaxRegisters"], "if (warps == 1) return value;", &[(Change::Guard, 2)], ONE_WARP),
    same(
        &["softmaxRegisters", "softmaxPrefetch"],
        "if (threadIdx.x % WARP == 0) values[warp] = value;",
        &[(Change::Guard, 2)],
        SAME_VALUE,
    ),
    same(
        &["softmaxPrefetch"],
        "for (int first = blockIdx.x * rows; first < n;",
        &[(Change::Strictness, 2), (Change::Guard, 1)],
        "a round without rows stores nothing",
    ),
];

static KERNELS: [&Rung; 4] = [&SOFTMAX_THREE_PASSES, &SOFTMAX_ONLINE, &SOFTMAX_REGISTERS, &SOFTMAX_PREFETCH];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_mutant_is_noticed_or_does_the_same() {
    mutants::all_are_noticed(&Stage { rungs: &KERNELS, ..STAGE }, &SIZES_OF_ROWS, EQUIVALENT);
}
