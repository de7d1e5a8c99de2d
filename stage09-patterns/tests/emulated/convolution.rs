//! The counts on the cards of problem O's kernels, compared with the emulator's, and sizes around the parts of a warp.

use common::device::DeviceChoice;
use common::problem::convolution::RADIUS;
use common::problem::{Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;
use stage_tests::turn;
use stage09_patterns::convolution::{CONVOLUTION_DIRECT, CONVOLUTION_REGISTERS, CONVOLUTION_SHARED};

/// Rows and columns of the image.
const N: u64 = 128;
/// Warps with a pixel per lane: of a row, and of the image.
const OF_ROW: u64 = N / 32;
const WARPS: u64 = N * OF_ROW;
const RADII: [u64; 2] = [1, 3];

fn size(n: usize, radius: u64) -> Size {
    Size { parameters: Parameters::default().with(RADIUS, radius), ..Size::new(n) }
}

fn counts(rung: &Rung, radius: u64) -> Counters {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let plan = Plan::new(rung, size(N as usize, radius), Shape::block(rung.block)).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

#[test]
fn a_thread_a_pixel_loads_a_pixel_for_each_tap() {
    for radius in RADII {
        let count = counts(&CONVOLUTION_DIRECT, radius);
        let side = 2 * radius + 1;
        // Above and below the image there are no rows to load.
        let rows_of_taps = side * N - radius * (radius + 1);
        assert_eq!(count.global_load_requests, rows_of_taps * OF_ROW * side);
        assert_eq!((count.global_store_requests, count.global_store_sectors), (WARPS, 4 * WARPS));
        assert_eq!((count.constant_load_requests, count.local_load_requests), (0, 0));
    }
}

#[test]
fn a_tile_loads_each_pixel_once_and_its_halo() {
    for radius in RADII {
        let count = counts(&CONVOLUTION_SHARED, radius);
        let (side, wide) = (2 * radius + 1, 32 + 2 * radius);
        let blocks = OF_ROW * OF_ROW;
        // Two rounds for each row of a tile, of those that exist. The halo's columns are all outside at no edge.
        let rows = OF_ROW * wide - 2 * radius;
        assert_eq!(count.global_load_requests, OF_ROW * rows * 2);
        assert_eq!(count.shared_store_requests, blocks * wide * 2);
        assert_eq!(count.shared_load_requests, WARPS * side * side);
        assert_eq!((count.shared_load_conflicts, count.shared_store_conflicts), (0, 0));
        assert_eq!((count.global_store_requests, count.barriers), (WARPS, blocks * 8));
        assert_eq!((count.constant_load_requests, count.local_load_requests), (0, 0));
    }
}

#[test]
fn convolutions_are_right_around_the_parts_of_a_warp() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 35, 119, 120, 121, 122, 123, 124, 129];
    for rung in [&CONVOLUTION_DIRECT, &CONVOLUTION_SHARED, &CONVOLUTION_REGISTERS] {
        for (n, radius) in sizes.into_iter().flat_map(|n| RADII.map(|radius| (n, radius))) {
            let plan = Plan::new(rung, size(n, radius), Shape::block(rung.block)).unwrap();
            let report = session.verify(&plan).unwrap();
            assert!(report.passed(), "{}, n = {n}, radius {radius}: {report:?}", rung.kernel);
        }
    }
}
