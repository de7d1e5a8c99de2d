//! The counts on the kernels' cards, compared with the emulator's.

use common::stage::Shape;
use stage_tests::counts::{FULL_SECTORS, counts, does_not_depend_on_threads};
use stage01_naive::{COMPUTE_FORCES, NBODY_SIM_NOTILE, PERIODIC_GLOBAL, REDUCE_GMEM};
use stage02_shared::{
    COMPUTE_FORCES_SHARED, COMPUTE_FORCES_TILING_SHARED, NBODY_SIM, PERIODIC_SHARED_COALESCED, PERIODIC_SHARED_STRIDED,
    REDUCE_SMEM, STAGE, TRANSPOSE_DIRECT, TRANSPOSE_PADDED, TRANSPOSE_TILE,
};

/// Bodies: 32 warps, whatever the block.
const N: usize = 1024;
const SOURCES: u64 = N as u64;
const WARPS: u64 = 32;

#[test]
fn each_block_fetches_each_source_once() {
    let count = counts(&COMPUTE_FORCES_SHARED, N, Shape::block(128));
    let tiles = SOURCES / 128;
    // A tile's x, y, z, m; and once the thread's own x, y, z and in the end m.
    assert_eq!(count.global_load_requests, WARPS * (4 * tiles + 4));
    assert_eq!(count.global_load_sectors, FULL_SECTORS * count.global_load_requests);
    assert_eq!(count.barriers, WARPS * 2 * tiles);
    assert_eq!(count.shared_store_requests, WARPS * 4 * tiles);
    assert_eq!(count.shared_load_requests, WARPS * 4 * SOURCES);
    assert_eq!(count.shared_load_wavefronts + count.shared_store_wavefronts, WARPS * 4 * (SOURCES + tiles));
    assert_eq!(count.shared_load_conflicts + count.shared_store_conflicts, 0);
    // Without tiles, each warp asks for each source by itself: a request for 1, where a tile has one for 32 of 128.
    let naive = counts(&COMPUTE_FORCES, N, Shape::block(128));
    assert_eq!(naive.global_load_requests - 4 * WARPS, 128 * (count.global_load_requests - 4 * WARPS));
    assert_eq!(naive.shared_load_requests + naive.barriers, 0);
}

#[test]
fn larger_blocks_fetch_sources_less_often() {
    let requests = [64, 128, 256].map(|block| {
        let count = counts(&COMPUTE_FORCES_SHARED, N, Shape::block(block));
        (count.global_load_requests - 4 * WARPS) / 4
    });
    assert_eq!(requests, [WARPS * 16, WARPS * 8, WARPS * 4]);
}

#[test]
fn a_block_fetches_all_sources_again_for_each_round_of_targets() {
    let one_round = Shape::grid(8, 128);
    let two_rounds = Shape::grid(4, 128);
    let [one, two] = [one_round, two_rounds].map(|shape| counts(&COMPUTE_FORCES_TILING_SHARED, N, shape));
    assert_eq!(one.global_load_requests, WARPS * (4 * SOURCES / 128 + 4));
    // Half the warps, each two rounds.
    assert_eq!(two.global_load_requests, one.global_load_requests);
    assert_eq!(two.barriers, one.barriers);
    assert_eq!(one.shared_load_requests, counts(&COMPUTE_FORCES_SHARED, N, Shape::block(128)).shared_load_requests);
}

#[test]
fn a_strided_copy_touches_every_sector_and_has_three_conflicts_a_store() {
    let block = Shape::block(256);
    let [strided, coalesced] =
        [&PERIODIC_SHARED_STRIDED, &PERIODIC_SHARED_COALESCED].map(|rung| counts(rung, N, block));
    // Each thread copies x and y of four bodies.
    let copies = WARPS * 8;
    for count in [strided, coalesced] {
        assert_eq!(count.global_load_requests, copies + 2 * WARPS);
        assert_eq!(count.shared_store_requests, copies);
        assert_eq!(count.shared_load_requests, WARPS * 2 * SOURCES);
        assert_eq!(count.shared_load_conflicts, 0);
        assert_eq!(count.barriers, WARPS * 2);
    }
    assert_eq!(strided.shared_store_conflicts, 3 * copies);
    assert_eq!(coalesced.shared_store_conflicts, 0);
    // Lanes 96 and 24 bytes apart; a thread's own position is always 24 bytes from its neighbor's.
    assert_eq!(strided.global_load_sectors, 32 * copies + 24 * 2 * WARPS);
    assert_eq!(coalesced.global_load_sectors, 24 * copies + 24 * 2 * WARPS);
    let global = counts(&PERIODIC_GLOBAL, N, block);
    assert_eq!(global.global_load_requests, WARPS * 2 * (SOURCES + 1));
}

#[test]
fn a_tree_in_shared_memory_reads_each_value_once_and_writes_one_a_block() {
    let n = 4096;
    let blocks = 32;
    let [shared, global] = [&REDUCE_SMEM, &REDUCE_GMEM].map(|rung| counts(rung, n, Shape::block(128)));
    assert_eq!(shared.global_load_requests, n as u64 / 32);
    assert_eq!(shared.global_load_sectors, FULL_SECTORS * shared.global_load_requests);
    assert_eq!((shared.global_store_requests, shared.global_store_sectors), (blocks, blocks));
    assert_eq!(shared.shared_load_conflicts + shared.shared_store_conflicts, 0);
    assert_eq!(shared.shared_load_wavefronts, shared.shared_load_requests);
    // Of a block: levels 64 and 32 take 2 warps and 1, then 5 levels of one warp. Two loads and a store each.
    let level_warps = 2 + 1 + 5;
    assert_eq!(global.global_load_requests, blocks * (2 * level_warps + 1));
    assert_eq!(global.global_store_requests, blocks * (level_warps + 1));
    assert_eq!(shared.shared_load_requests, blocks * (2 * level_warps + 1));
    assert_eq!(shared.shared_store_requests, blocks * (level_warps + 4));
    // A barrier after each level of several warps; the shared tree has one more, before its first level.
    assert_eq!((global.barriers, shared.barriers), (blocks * 4 * 2, blocks * 4 * 3));
}

#[test]
fn a_tile_of_any_block_is_fetched_once_a_block() {
    let count = counts(&NBODY_SIM, N, Shape::block(128));
    let tiles = SOURCES / 128;
    // A tile's float4, and once the thread's own position and velocity; 32 float4 are 16 sectors.
    assert_eq!(count.global_load_requests, WARPS * (tiles + 2));
    assert_eq!(count.global_load_sectors, 16 * count.global_load_requests);
    assert_eq!(count.shared_store_wavefronts, WARPS * 4 * tiles);
    assert_eq!(count.shared_load_wavefronts, WARPS * 4 * SOURCES);
    assert_eq!(count.barriers, WARPS * 2 * tiles);
    let naive = counts(&NBODY_SIM_NOTILE, N, Shape::block(128));
    assert_eq!(naive.global_load_requests, WARPS * (SOURCES + 2));
    assert_eq!(naive.barriers, 0);
}

/// Accesses of warps to all words of a matrix of N rows.
const ACCESSES: u64 = (N * N / 32) as u64;

#[test]
fn a_direct_transpose_writes_to_a_sector_for_each_lane() {
    let count = counts(&TRANSPOSE_DIRECT, N, Shape::block(256));
    assert_eq!((count.global_load_requests, count.global_load_sectors), (ACCESSES, FULL_SECTORS * ACCESSES));
    assert_eq!((count.global_store_requests, count.global_store_sectors), (ACCESSES, 32 * ACCESSES));
    assert_eq!(count.shared_load_requests + count.shared_store_requests + count.barriers, 0);
}

#[test]
fn a_tile_makes_both_accesses_coalesced_and_a_word_more_in_each_row_frees_its_banks() {
    let [tile, padded] = [&TRANSPOSE_TILE, &TRANSPOSE_PADDED].map(|rung| counts(rung, N, Shape::block(256)));
    for count in [tile, padded] {
        assert_eq!((count.global_load_requests, count.global_load_sectors), (ACCESSES, FULL_SECTORS * ACCESSES));
        assert_eq!((count.global_store_requests, count.global_store_sectors), (ACCESSES, FULL_SECTORS * ACCESSES));
        assert_eq!((count.shared_store_requests, count.shared_store_wavefronts), (ACCESSES, ACCESSES));
        assert_eq!((count.shared_load_requests, count.shared_store_conflicts), (ACCESSES, 0));
        assert_eq!(count.barriers, ACCESSES / 4);
    }
    assert_eq!((tile.shared_load_wavefronts, tile.shared_load_conflicts), (32 * ACCESSES, 31 * ACCESSES));
    assert_eq!((padded.shared_load_wavefronts, padded.shared_load_conflicts), (ACCESSES, 0));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn results_and_counts_do_not_depend_on_the_emulators_threads() {
    STAGE.rungs.iter().filter(|rung| !STAGE.is_baseline(rung)).for_each(|rung| does_not_depend_on_threads(rung));
}
