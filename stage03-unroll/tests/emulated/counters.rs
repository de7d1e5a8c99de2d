//! The counts on the kernels' cards, compared with the emulator's.

use common::stage::Shape;
use emulator::{Counters, InstructionClasses};
use stage_tests::counts::{FULL_SECTORS, counts, does_not_depend_on_threads};
use stage02_shared::{COMPUTE_FORCES_SHARED, COMPUTE_FORCES_TILING_SHARED, NBODY_SIM, REDUCE_SMEM};
use stage03_unroll::{
    COMPUTE_FORCES_TILING_UNROLL_64, COMPUTE_FORCES_UNROLL_1, COMPUTE_FORCES_UNROLL_16, COMPUTE_FORCES_UNROLL_64,
    COMPUTE_FORCES_UNROLL_FULL, NBODY_SIM_FLOAT4, NBODY_SIM_UNROLL, REDUCE_SMEM_UNROLL, REDUCE_SMEM_UNROLL_DYN, STAGE,
};

/// Bodies, which 32 warps read.
const N: usize = 1024;
const SOURCES: u64 = N as u64;
const WARPS: u64 = 32;

/// Tiles of 256 sources, of tutorial D.
const TILES: u64 = SOURCES / 256;

/// The counts without those of instructions and branches, which unrolling may change.
fn memory(count: Counters) -> Counters {
    Counters {
        warp_instructions: 0,
        thread_instructions: 0,
        classes: InstructionClasses::default(),
        branches: 0,
        divergent_branches: 0,
        ..count
    }
}

#[test]
fn unrolling_saves_branches_and_instructions_and_leaves_memory_alone() {
    let rows = [
        &COMPUTE_FORCES_UNROLL_1,
        &COMPUTE_FORCES_SHARED,
        &COMPUTE_FORCES_UNROLL_16,
        &COMPUTE_FORCES_UNROLL_64,
        &COMPUTE_FORCES_UNROLL_FULL,
    ];
    let counts = rows.map(|rung| counts(rung, N, Shape::block(128)));
    for count in &counts[1..] {
        assert_eq!(memory(*count), memory(counts[0]));
    }
    // A warp takes a branch per round: 128, 32, 8 and 2 rounds per tile, and none without a loop.
    let saved: Vec<u64> = counts.windows(2).map(|pair| pair[0].branches - pair[1].branches).collect();
    assert_eq!(saved, [96, 24, 6, 2].map(|rounds| WARPS * SOURCES / 128 * rounds));
    // A round counts, compares and branches: at least three instructions.
    let instructions = counts.map(|count| count.warp_instructions);
    for (pair, saved) in instructions.windows(2).zip(saved) {
        assert!(pair[0] >= pair[1] + 3 * saved, "{instructions:?}");
    }
}

#[test]
fn sixty_four_sources_per_round_leave_no_loop_in_blocks_up_to_64() {
    let rows = [&COMPUTE_FORCES_UNROLL_64, &COMPUTE_FORCES_TILING_UNROLL_64];
    let shapes = |block: u32| [Shape::block(block), Shape::grid(N as u32 / block, block)];
    for (block, rounds) in [(32, 0), (64, 0), (128, 2), (256, 4)] {
        let branches: Vec<u64> =
            rows.iter().zip(shapes(block)).map(|(rung, shape)| counts(rung, N, shape).branches).collect();
        let tiles = SOURCES / u64::from(block);
        // Beside the rounds: the loop over tiles, and at most four per warp outside of it.
        for branches in branches {
            let least = WARPS * tiles * (rounds + 1);
            assert!((least..=least + 4 * WARPS).contains(&branches), "{block}: {branches}, {least}");
        }
    }
}

#[test]
fn a_grid_stride_loop_unrolled_by_64_accesses_memory_like_the_one_of_stage_2() {
    for shape in [Shape::grid(8, 128), Shape::grid(2, 256)] {
        let [four, more] =
            [&COMPUTE_FORCES_TILING_SHARED, &COMPUTE_FORCES_TILING_UNROLL_64].map(|rung| counts(rung, N, shape));
        assert_eq!(memory(more), memory(four));
        assert!(more.branches < four.branches && more.warp_instructions < four.warp_instructions);
    }
}

#[test]
fn four_elements_a_thread_are_the_same_loads_and_a_quarter_of_the_rest() {
    let n = 16384;
    let [one, four] = [&REDUCE_SMEM, &REDUCE_SMEM_UNROLL].map(|rung| counts(rung, n, Shape::block(128)));
    assert_eq!(four.global_load_requests, n as u64 / 32);
    assert_eq!(four.global_load_sectors, FULL_SECTORS * four.global_load_requests);
    let loads = |count: Counters| (count.global_load_requests, count.global_load_sectors, count.global_load_bytes);
    assert_eq!(loads(four), loads(one));
    assert_eq!((one.global_store_requests, four.global_store_requests), (128, 32));
    assert_eq!(4 * four.global_store_sectors, one.global_store_sectors);
    assert_eq!(4 * four.barriers, one.barriers);
    assert_eq!(4 * four.shared_load_wavefronts, one.shared_load_wavefronts);
    assert_eq!(4 * four.shared_store_wavefronts, one.shared_store_wavefronts);
    assert!(2 * four.warp_instructions < one.warp_instructions, "{four:?} {one:?}");
}

#[test]
fn static_and_dynamic_shared_memory_are_accessed_alike() {
    for n in [16384, 1025] {
        let rows = [&REDUCE_SMEM_UNROLL, &REDUCE_SMEM_UNROLL_DYN];
        let [fixed, dynamic] = rows.map(|rung| counts(rung, n, Shape::block(128)));
        assert_eq!(memory(dynamic), memory(fixed));
        assert!(dynamic.branches > fixed.branches, "{dynamic:?} {fixed:?}");
    }
}

#[test]
fn four_sources_a_round_take_a_quarter_of_the_branches_and_fewer_shared_loads() {
    let [one, four] = [&NBODY_SIM, &NBODY_SIM_UNROLL].map(|rung| counts(rung, N, Shape::block(256)));
    let without_shared_loads = |count| Counters { shared_load_requests: 0, shared_load_wavefronts: 0, ..memory(count) };
    assert_eq!(without_shared_loads(four), without_shared_loads(one));
    // Of four sources, x is one load of 16 bytes, z two of 8, y and m four of 4 each.
    let rounds = WARPS * SOURCES / 4;
    assert_eq!((one.shared_load_requests, one.shared_load_wavefronts), (16 * rounds, 16 * rounds));
    assert_eq!((four.shared_load_requests, four.shared_load_wavefronts), (11 * rounds, 12 * rounds));
    let of_a_tile = |count: Counters| count.branches / (WARPS * TILES);
    // Beside the rounds: the loop over tiles, and what is left of a block when four are taken at a time.
    assert!((256..=256 + 8).contains(&of_a_tile(one)), "{one:?}");
    assert!((64..=64 + 8).contains(&of_a_tile(four)), "{four:?}");
    assert!(four.warp_instructions < one.warp_instructions);
}

#[test]
fn a_float4_is_one_wide_load_of_two_wavefronts() {
    let [narrow, wide] = [&NBODY_SIM_UNROLL, &NBODY_SIM_FLOAT4].map(|rung| counts(rung, N, Shape::block(256)));
    assert_eq!(wide.shared_load_requests, WARPS * SOURCES);
    assert_eq!(wide.shared_load_wavefronts, 2 * wide.shared_load_requests);
    // 512 bytes per warp take four passes over 128 bytes of banks, in one store or in four.
    assert_eq!((narrow.shared_store_requests, wide.shared_store_requests), (WARPS * 4 * TILES, WARPS * TILES));
    assert_eq!(wide.shared_store_wavefronts, narrow.shared_store_wavefronts);
    assert_eq!(wide.shared_load_conflicts + wide.shared_store_conflicts, 0);
    let global = |count: Counters| (count.global_load_sectors, count.global_store_sectors, count.barriers);
    assert_eq!(global(wide), global(narrow));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn results_and_counts_do_not_depend_on_the_emulators_threads() {
    STAGE.rungs.iter().filter(|rung| !STAGE.is_baseline(rung)).for_each(|rung| does_not_depend_on_threads(rung));
}
