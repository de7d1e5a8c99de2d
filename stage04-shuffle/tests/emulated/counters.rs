//! The counts on the kernels' cards, compared with the emulator's.

use common::stage::Shape;
use emulator::Counters;
use stage_tests::counts::{FULL_SECTORS, counts, does_not_depend_on_threads};
use stage02_shared::PERIODIC_SHARED_COALESCED;
use stage03_unroll::{COMPUTE_FORCES_TILING_UNROLL_64, REDUCE_SMEM_UNROLL};
use stage04_shuffle::{
    COMPUTE_FORCES_TILING_SHUFFLE, PERIODIC_SHUFFLE, REDUCE_SHUFFLE, REDUCE_SHUFFLE_TWO_LEVEL, STAGE,
};

/// Bodies: 32 warps, each of which takes them 32 at a time.
const N: usize = 1024;
const SOURCES: u64 = N as u64;
const WARPS: u64 = 32;
const ROUNDS: u64 = SOURCES / 32;

fn shared_requests(count: Counters) -> u64 {
    count.shared_load_requests + count.shared_store_requests
}

#[test]
fn shuffles_take_the_place_of_shared_loads_and_barriers_go() {
    let shape = Shape::grid(8, 128);
    let rows = [&COMPUTE_FORCES_TILING_UNROLL_64, &COMPUTE_FORCES_TILING_SHUFFLE];
    let [tiles, shuffles] = rows.map(|rung| counts(rung, N, shape));
    assert_eq!(shuffles.shuffles, WARPS * 4 * SOURCES);
    assert_eq!(shuffles.shuffles, tiles.shared_load_requests);
    assert_eq!((shared_requests(shuffles), shuffles.barriers), (0, 0));
    assert_eq!(tiles.shuffles, 0);
    assert!(tiles.barriers > 0);
}

#[test]
fn each_warp_fetches_all_sources_for_itself() {
    let count = counts(&COMPUTE_FORCES_TILING_SHUFFLE, N, Shape::grid(8, 128));
    // x, y, z and m of 32 sources a round; and once the lane's own x, y, z and in the end m.
    assert_eq!(count.global_load_requests, WARPS * (4 * ROUNDS + 4));
    assert_eq!(count.global_load_sectors, FULL_SECTORS * count.global_load_requests);
    // Four warps share a tile of 128.
    let tiles = counts(&COMPUTE_FORCES_TILING_UNROLL_64, N, Shape::grid(8, 128));
    assert_eq!(count.global_load_requests - 4 * WARPS, 4 * (tiles.global_load_requests - 4 * WARPS));
}

#[test]
fn positions_of_a_warp_go_round_by_shuffles() {
    let block = Shape::block(256);
    let [chunks, shuffles] = [&PERIODIC_SHARED_COALESCED, &PERIODIC_SHUFFLE].map(|rung| counts(rung, N, block));
    assert_eq!(shuffles.shuffles, WARPS * 2 * SOURCES);
    assert_eq!(shuffles.shuffles, chunks.shared_load_requests);
    assert_eq!((shared_requests(shuffles), shuffles.barriers), (0, 0));
    // x and y of 32 positions a round, and once the lane's own; records lie 24 bytes apart.
    assert_eq!(shuffles.global_load_requests, WARPS * 2 * (ROUNDS + 1));
    assert_eq!(shuffles.global_load_sectors, 24 * shuffles.global_load_requests);
}

/// Elements of tutorial C that are 32 blocks of 128 threads with four elements each.
const ELEMENTS: usize = 16384;
const BLOCKS: u64 = 32;

fn global(count: Counters) -> [u64; 4] {
    let Counters { global_load_requests, global_load_sectors, global_store_requests, global_store_sectors, .. } = count;
    [global_load_requests, global_load_sectors, global_store_requests, global_store_sectors]
}

#[test]
fn the_last_warps_levels_are_five_shuffles_a_block() {
    let block = Shape::block(128);
    let [tree, shuffles] = [&REDUCE_SMEM_UNROLL, &REDUCE_SHUFFLE].map(|rung| counts(rung, ELEMENTS, block));
    assert_eq!(shuffles.shuffles, 5 * BLOCKS);
    assert_eq!(tree.shared_load_requests - shuffles.shared_load_requests, 10 * BLOCKS);
    assert_eq!(tree.shared_store_requests - shuffles.shared_store_requests, 5 * BLOCKS);
    assert_eq!(shuffles.barriers, tree.barriers);
    assert_eq!(global(shuffles), global(tree));
    assert!(shuffles.warp_instructions < tree.warp_instructions);
}

#[test]
fn two_levels_of_shuffles_need_one_barrier_whatever_the_block() {
    for (block, blocks) in [(64, 64), (128, 32), (1024, 4)] {
        let count = counts(&REDUCE_SHUFFLE_TWO_LEVEL, ELEMENTS, Shape::block(block));
        let warps = u64::from(block) / 32 * blocks;
        assert_eq!(count.shuffles, 5 * warps + 5 * blocks, "blocks of {block}");
        assert_eq!((count.shared_store_requests, count.shared_load_requests), (warps, blocks), "blocks of {block}");
        assert_eq!(count.shared_store_wavefronts + count.shared_load_wavefronts, warps + blocks, "blocks of {block}");
        assert_eq!(count.barriers, warps, "blocks of {block}");
        let one_level = counts(&REDUCE_SHUFFLE, ELEMENTS, Shape::block(block));
        assert_eq!(global(count), global(one_level), "blocks of {block}");
        assert!(count.barriers < one_level.barriers, "blocks of {block}");
    }
}

#[test]
fn results_and_counts_do_not_depend_on_the_emulators_threads() {
    STAGE.rungs.iter().filter(|rung| !STAGE.is_baseline(rung)).for_each(|rung| does_not_depend_on_threads(rung));
}
