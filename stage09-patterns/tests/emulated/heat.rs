//! The counts on the cards of problem M's kernels, compared with the emulator's, and sizes around the parts of a warp.

use common::stage::{Rung, Shape};
use emulator::Counters;
use stage_tests::counts::counts;
use stage_tests::results::{run, shapes};
use stage09_patterns::heat::{HEAT_DIRECT, HEAT_ROWS, HEAT_SHARED, HEAT_TWO_STEPS};

/// Rows and columns of the grid.
const N: u64 = 256;
/// Warps with a cell per lane: of a row, and of the grid.
const OF_ROW: u64 = N / 32;
const WARPS: u64 = N * OF_ROW;
/// Launches of a run whose kernel takes one step.
const LAUNCHES: u64 = 2;

fn count(rung: &Rung) -> Counters {
    counts(rung, N as usize, Shape::block(256))
}

#[test]
fn a_thread_a_cell_loads_each_cell_five_times() {
    let count = count(&HEAT_DIRECT);
    // The cells of the first and of the last row need no neighbors.
    assert_eq!(count.global_load_requests, LAUNCHES * (WARPS + 4 * (N - 2) * OF_ROW));
    // A warp's left neighbors are in five sectors, unless there is none, and so are its right ones.
    let beside = 2 * (5 * OF_ROW - 1);
    assert_eq!(count.global_load_sectors, LAUNCHES * (4 * WARPS + (N - 2) * (2 * 4 * OF_ROW + beside)));
    assert_eq!((count.global_store_requests, count.global_store_sectors), (LAUNCHES * WARPS, LAUNCHES * 4 * WARPS));
}

#[test]
fn a_tile_loads_each_cell_once_and_its_halo() {
    let count = count(&HEAT_SHARED);
    let blocks = OF_ROW * OF_ROW;
    assert_eq!(count.global_load_requests, LAUNCHES * blocks * 34 * 2);
    // A row of a tile begins in the last sector of the one before, and ends in the first of the next one.
    let of_row = (5 * OF_ROW - 1) + (2 * OF_ROW - 1);
    assert_eq!(count.global_load_sectors, LAUNCHES * OF_ROW * 34 * of_row);
    assert_eq!((count.global_store_requests, count.global_store_sectors), (LAUNCHES * WARPS, LAUNCHES * 4 * WARPS));
    assert_eq!(count.shared_store_requests, LAUNCHES * blocks * 34 * 2);
    assert_eq!(count.shared_load_requests, LAUNCHES * (WARPS + 4 * (N - 2) * OF_ROW));
    assert_eq!((count.shared_load_conflicts, count.shared_store_conflicts), (0, 0));
    assert_eq!(count.barriers, LAUNCHES * blocks * 8);
}

#[test]
fn rows_in_registers_are_loaded_for_all_that_need_them() {
    let count = count(&HEAT_ROWS);
    // 128 columns and two rows each
    let warps = 2 * (N / 2);
    assert_eq!(count.global_load_requests, LAUNCHES * warps * (4 + 2));
    assert_eq!(count.global_load_sectors, LAUNCHES * warps * (4 * 16 + 2 * 2));
    assert_eq!(
        (count.global_store_requests, count.global_store_sectors),
        (LAUNCHES * warps * 2, LAUNCHES * warps * 32)
    );
    assert_eq!((count.shuffles, count.barriers), (LAUNCHES * warps * 2 * 2, 0));
}

#[test]
fn two_steps_take_one_trip_through_the_memory() {
    let count = count(&HEAT_TWO_STEPS);
    // 120, 120 and 16 columns, and four rows each
    let rows = N / 4;
    assert_eq!(count.global_load_requests, 3 * rows * 8);
    // The first warp has nothing to its left, and the last one loads five groups.
    assert_eq!(count.global_load_sectors, rows * 8 * (16 + 17 + 3));
    assert_eq!((count.global_store_requests, count.global_store_sectors), (3 * N, 4 * WARPS));
    assert_eq!((count.shuffles, count.barriers), (3 * rows * 2 * (6 + 4), 0));
}

#[test]
fn steps_are_right_around_the_parts_of_a_warp() {
    // One row more and less than a warp's and a block's, and each remainder of a group at the end of a strip.
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 119, 120, 121, 122, 123, 124, 127, 128, 129, 130, 131];
    for rung in [&HEAT_DIRECT, &HEAT_SHARED, &HEAT_ROWS, &HEAT_TWO_STEPS] {
        run(rung, &sizes, &shapes(rung)[..1], |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}
