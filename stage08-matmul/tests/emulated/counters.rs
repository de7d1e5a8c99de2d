//! The counts on the kernels' cards, compared with the emulator's.

use common::stage::{Rung, Shape};
use emulator::Counters;
use stage_tests::counts::{FULL_SECTORS, counts};
use stage08_matmul::{
    MATMUL_ASYNC_COPY, MATMUL_CLUSTER, MATMUL_COALESCED, MATMUL_NAIVE, MATMUL_PREFETCH, MATMUL_REGISTER_BANKS,
    MATMUL_REGISTER_COLUMN, MATMUL_REGISTER_TILE, MATMUL_TALL_TILE, MATMUL_TENSOR, MATMUL_TENSOR_PIPELINE,
    MATMUL_TENSOR_PREFETCH, MATMUL_TENSOR_SWIZZLE, MATMUL_TENSOR_WIDE_TILE, MATMUL_TILE, MATMUL_VECTOR,
    MATMUL_WARP_TILE, MATMUL_WARPGROUP,
};

/// A whole tile of every kernel.
const N: u64 = 128;
/// Multiply-adds of full warps.
const MULTIPLY_ADDS: u64 = N * N * N / 32;
/// Words of a matrix, by full warps.
const WORDS: u64 = N * N / 32;

fn of(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape::block(rung.block))
}

fn loads_and_stores(count: Counters) -> [u64; 4] {
    let Counters { global_load_requests, global_load_sectors, global_store_requests, global_store_sectors, .. } = count;
    [global_load_requests, global_load_sectors, global_store_requests, global_store_sectors]
}

#[test]
fn neighbors_in_a_row_share_sectors() {
    let [naive, coalesced] = [&MATMUL_NAIVE, &MATMUL_COALESCED].map(|rung| loads_and_stores(of(rung)));
    assert_eq!(naive, [2 * MULTIPLY_ADDS, (32 + 1) * MULTIPLY_ADDS, WORDS, 32 * WORDS]);
    assert_eq!(coalesced, [2 * MULTIPLY_ADDS, (1 + 4) * MULTIPLY_ADDS, WORDS, FULL_SECTORS * WORDS]);
}

#[test]
fn a_tile_divides_the_requests_to_global_memory() {
    let count = of(&MATMUL_TILE);
    let loads = MULTIPLY_ADDS / 16;
    assert_eq!(loads_and_stores(count), [loads, FULL_SECTORS * loads, WORDS, FULL_SECTORS * WORDS]);
    assert_eq!((count.shared_load_requests, count.shared_load_conflicts), (2 * MULTIPLY_ADDS, 0));
}

#[test]
fn register_tiles_divide_the_loads_from_shared_memory() {
    let column = of(&MATMUL_REGISTER_COLUMN);
    assert_eq!((column.shared_load_requests, column.shared_load_conflicts), (MULTIPLY_ADDS / 8 * 9, 0));
    let tile = of(&MATMUL_REGISTER_TILE);
    assert_eq!(tile.shared_load_requests, MULTIPLY_ADDS / 64 * 16);
    // 8 words of a on one bank, in two wavefronts each; 8 of b on four banks, in four.
    assert_eq!(tile.shared_load_wavefronts, MULTIPLY_ADDS / 64 * (8 * 2 + 8 * 4));
    assert_eq!(loads_and_stores(tile)[2..], [WORDS, 32 * WORDS]);
    assert_eq!(of(&MATMUL_TALL_TILE).shared_load_requests, 6 * (MULTIPLY_ADDS / 128 + 4));
}

#[test]
fn a_warp_tile_has_no_conflicts() {
    let [vector, warp_tile] = [&MATMUL_VECTOR, &MATMUL_WARP_TILE].map(of);
    for count in [vector, warp_tile] {
        assert_eq!(count.shared_load_requests, MULTIPLY_ADDS / 64 * 4);
        assert_eq!(count.global_load_requests, 2 * WORDS / 4);
    }
    assert!(vector.shared_load_conflicts > 0 && vector.shared_store_conflicts > 0);
    assert_eq!((warp_tile.shared_load_conflicts, warp_tile.shared_store_conflicts), (0, 0));
}

#[test]
fn copies_take_the_place_of_loads_and_leave_one_barrier_per_tile() {
    let [warp_tile, copies] = [&MATMUL_WARP_TILE, &MATMUL_ASYNC_COPY].map(of);
    // Copies of 4 bytes of a, and of 16 of b.
    assert_eq!((copies.global_load_requests, copies.async_copy_requests), (0, WORDS + WORDS / 4));
    assert_eq!(warp_tile.barriers, 4 * copies.barriers);
}

#[test]
fn the_order_of_multiply_adds_changes_the_stores_alone() {
    let [prefetch, banks] = [&MATMUL_PREFETCH, &MATMUL_REGISTER_BANKS].map(of);
    assert_eq!(prefetch.shared_load_requests, banks.shared_load_requests);
    assert_eq!(4 * prefetch.global_store_requests, banks.global_store_requests);
    assert_eq!(prefetch.classes.float, banks.classes.float);
}

/// Products of 16 x 8 elements with 16 terms in a tile of 128 x 128 with 128 terms.
const PRODUCTS: u64 = N * N * N / (16 * 8 * 16);

#[test]
fn tensor_cores_take_a_64th_of_the_multiply_adds() {
    let of_warps = of(&MATMUL_TALL_TILE).classes.float;
    let tensor = of(&MATMUL_TENSOR);
    assert_eq!(tensor.classes.matrix, PRODUCTS);
    assert_eq!(of_warps, 64 * PRODUCTS);
    // 4 registers of the left factor for each row of products, 2 of the right one for each column, of two loads each
    assert_eq!(tensor.shared_load_requests, PRODUCTS / 16 * (4 * 4 + 4 * 2 * 2));
    assert!(tensor.shared_load_conflicts > 0);
}

#[test]
fn a_load_of_four_matrices_takes_the_place_of_four_or_eight_without_conflicts() {
    let [tensor, swizzle] = [&MATMUL_TENSOR, &MATMUL_TENSOR_SWIZZLE].map(of);
    assert_eq!(swizzle.shared_load_requests, PRODUCTS / 16 * (4 + 2));
    assert_eq!((swizzle.shared_load_conflicts, swizzle.shared_store_conflicts), (0, 0));
    assert_eq!(swizzle.shared_store_requests, tensor.shared_store_requests);
}

#[test]
fn a_pipeline_copies_and_has_half_of_the_barriers() {
    let [swizzle, pipeline] = [&MATMUL_TENSOR_SWIZZLE, &MATMUL_TENSOR_PIPELINE].map(of);
    assert_eq!((pipeline.global_load_requests, pipeline.async_copy_requests), (0, swizzle.global_load_requests));
    assert_eq!(swizzle.barriers, 2 * pipeline.barriers);
}

#[test]
fn a_wider_tile_needs_fewer_requests_and_copies_and_loads_ahead_need_one_step_more() {
    let at = |rung| counts(rung, 2 * N as usize, Shape::block(256));
    let [pipeline, wide, prefetch] =
        [&MATMUL_TENSOR_PIPELINE, &MATMUL_TENSOR_WIDE_TILE, &MATMUL_TENSOR_PREFETCH].map(at);
    assert_eq!(3 * wide.shared_load_requests, 2 * pipeline.shared_load_requests);
    assert_eq!(4 * wide.async_copy_requests, 3 * pipeline.async_copy_requests);
    let steps = 2 * N / 16;
    assert_eq!(steps * prefetch.shared_load_requests, (steps + 1) * wide.shared_load_requests);
    assert_eq!(prefetch.async_copy_requests, wide.async_copy_requests);
    assert_eq!((wide.shared_load_conflicts, prefetch.shared_load_conflicts), (0, 0));
}

#[test]
fn warpgroups_load_no_factors_and_copy_a_stage_by_two_copies() {
    let count = counts(&MATMUL_WARPGROUP, 2 * N as usize, Shape::block(384));
    let tiles = 2 * N / 128;
    let stages = tiles * (2 * N / 64);
    // 4 products of each of 8 warps per stage
    assert_eq!(count.classes.matrix, stages * 4 * 8);
    assert_eq!((count.bulk_copies, count.bulk_copy_bytes), (2 * stages, stages * 64 * (128 + 256) * 2));
    assert_eq!((count.global_load_requests, count.shared_load_requests, count.async_copy_requests), (0, 0, 0));
    // 8 bytes per thread: a warp fills 32 sectors in 8 rows
    assert_eq!(count.global_store_requests, tiles * 128 * 256 / 64);
    assert_eq!(count.global_store_sectors, tiles * 128 * 256 * 4 / 32);
}

#[test]
fn two_blocks_share_the_columns_that_each_of_them_copied() {
    let [warpgroup, cluster] =
        [&MATMUL_WARPGROUP, &MATMUL_CLUSTER].map(|rung| counts(rung, 2 * N as usize, Shape::block(384)));
    assert_eq!(3 * cluster.bulk_copy_bytes, 2 * warpgroup.bulk_copy_bytes);
    assert_eq!((cluster.bulk_copies, cluster.classes.matrix), (warpgroup.bulk_copies, warpgroup.classes.matrix));
    assert_eq!(cluster.barriers, 0, "the barrier of the cluster takes the place of the block's");
}
