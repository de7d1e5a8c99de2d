//! The counts on the cards of problem N's kernels, compared with the emulator's.

use common::device::DeviceChoice;
use common::problem::sparse::{MATRIX, Matrix, count};
use common::problem::{Inputs, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;
use stage_tests::turn;
use stage09_patterns::sparse::{
    LOOKS, SPARSE_FOUR_IN_FLIGHT, SPARSE_MERGE, SPARSE_ROW_PER_GROUP, SPARSE_ROW_PER_THREAD, SPARSE_ROW_PER_WARP,
    SPARSE_SEGMENTS, SPARSE_STREAMING, STEPS_EACH,
};

/// Rows.
const N: u64 = 4096;
/// Kinds of matrices.
const POWER_LAW: u32 = 0;
const RANDOM: u32 = 1;
const BAND: u32 = 2;
/// The elements of a row of a random matrix, and the lanes of its group.
const OF_ROW: u64 = 16;
const LANES: u64 = 8;

fn sized(kind: u32) -> Size {
    Size { parameters: Parameters::default().with(MATRIX, kind), ..Size::new(N as usize) }
}

fn counts(rung: &Rung, kind: u32) -> Counters {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let plan = Plan::new(rung, sized(kind), Shape::block(128)).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

#[test]
fn lanes_a_row_apart_load_a_sector_each() {
    let count = counts(&SPARSE_ROW_PER_THREAD, RANDOM);
    let warps = N / 32;
    // Two offsets, and of each element its column, its value and that of x.
    assert_eq!(count.global_load_requests, (2 + 3 * OF_ROW) * warps);
    // The offsets are 4 and 5 sectors; rows of 64 bytes are in 32 sectors.
    let columns_and_values = 2 * 32 * OF_ROW * warps;
    let random = count.global_load_sectors - columns_and_values - (4 + 5) * warps;
    // Some of the random columns of a load are in the same sector, of 512.
    assert!((28 * OF_ROW * warps..=32 * OF_ROW * warps).contains(&random), "{count:?}");
    assert_eq!((count.global_store_requests, count.global_store_sectors, count.shuffles), (warps, 4 * warps, 0));
}

#[test]
fn a_warp_per_row_loads_neighbors_and_a_group_leaves_no_lane_out() {
    let [warp, group] = [&SPARSE_ROW_PER_WARP, &SPARSE_ROW_PER_GROUP].map(|rung| counts(rung, RANDOM));
    assert_eq!((warp.global_load_requests, warp.shuffles), ((2 + 3) * N, 5 * N));
    let warps = N * LANES / 32;
    assert_eq!((group.global_load_requests, group.shuffles), ((2 + 3 * OF_ROW / LANES) * warps, 3 * warps));
    assert!(2 * group.warp_instructions < warp.warp_instructions, "{group:?}, {warp:?}");
    // Both load each sector of the elements once.
    let of_elements = 2 * N * OF_ROW / 8;
    for (count, offsets) in [(warp, 2 * N), (group, 2 * warps + warps / 8)] {
        let random = count.global_load_sectors - of_elements - offsets;
        assert!((15 * N..=16 * N).contains(&random), "{count:?}");
    }
}

#[test]
fn loads_in_flight_and_hints_change_no_access_and_long_rows_make_groups_wait() {
    for kind in [POWER_LAW, RANDOM, BAND] {
        let [one, four, streaming] =
            [&SPARSE_ROW_PER_GROUP, &SPARSE_FOUR_IN_FLIGHT, &SPARSE_STREAMING].map(|rung| counts(rung, kind));
        for other in [four, streaming] {
            assert_eq!(one.global_load_requests, other.global_load_requests);
            assert_eq!(one.global_load_sectors, other.global_load_sectors);
            assert_eq!(one.shuffles, other.shuffles);
        }
        let lanes = one.thread_instructions as f64 / (32 * one.warp_instructions) as f64;
        assert_eq!(lanes > 0.8, kind != POWER_LAW, "{lanes}");
    }
}

#[test]
fn the_parts_of_a_merge_are_equal_for_any_rows() {
    for kind in [POWER_LAW, RANDOM, BAND] {
        let merge = counts(&SPARSE_MERGE, kind);
        let elements = count(&sized(kind)) as u64;
        let blocks = (N + elements).div_ceil(128 * STEPS_EACH as u64);
        assert_eq!((merge.barriers, merge.shuffles), (3 * 4 * blocks, 6 * 4 * blocks));
        // A warp for 32 neighboring elements, except for the last of a block.
        let requests = 3 * elements / 32;
        let others = merge.global_load_requests - requests;
        assert!(others < requests / 2, "{others} requests besides {requests}");
    }
}

#[test]
fn segments_have_a_shuffle_for_each_doubling_and_barriers_for_long_rows_alone() {
    let warps = N / 32;
    // Of each row two offsets, by a warp of its own and by one of the first blocks.
    let offsets = 4 * warps;
    let random = counts(&SPARSE_SEGMENTS, RANDOM);
    let parts = 32 * OF_ROW / 32;
    assert_eq!(random.global_load_requests, offsets + 3 * parts * warps);
    // Two for the borders of the rows; of each part five doublings, and the sum that is carried on.
    assert_eq!(random.shuffles, (2 + 6 * parts) * warps);
    let first_warps = warps / LOOKS as u64;
    assert_eq!(random.barriers, first_warps);

    let power_law = counts(&SPARSE_SEGMENTS, POWER_LAW);
    let matrix = Matrix::new(&sized(POWER_LAW));
    let long = matrix.offsets.windows(2).filter(|row| row[1] - row[0] > 128).count() as u64;
    assert!(long > 0);
    assert_eq!(power_law.barriers, first_warps + 2 * 4 * long);
    let merge = counts(&SPARSE_MERGE, POWER_LAW);
    let near = power_law.global_load_sectors as f64 / merge.global_load_sectors as f64;
    assert!((0.95..1.0).contains(&near), "{near}");
    assert!(8 * power_law.shared_load_conflicts < merge.shared_load_conflicts, "{power_law:?}, {merge:?}");
}
