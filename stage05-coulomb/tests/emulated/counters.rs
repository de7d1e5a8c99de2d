//! The emulator's counts are those of the lessons, request by request. One test, for counts are of the last launch
//! in the process.

use common::device::DeviceChoice;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;
use stage_tests::planes::over_a_plane;
use stage_tests::turn;
use stage05_coulomb::{
    COULOMB_COARSENED, COULOMB_COARSENED_COALESCED, COULOMB_CONSTANT, COULOMB_GATHER, COULOMB_SCATTER,
};

/// Whole tiles of every kernel: 64 warps of one point a lane.
const PLANE: (u32, u32) = (128, 16);
const POINTS: u64 = 128 * 16;
const WARPS: u64 = POINTS / 32;
const ATOMS: u64 = 100;

fn counts(session: &mut Session, rung: &Rung, atoms: u64) -> Counters {
    let plan = Plan::new(rung, over_a_plane(atoms as usize, PLANE), Shape::block(rung.block)).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

#[test]
fn requests_and_sectors_are_those_of_the_sources() {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    gathered(counts(&mut session, &COULOMB_GATHER, ATOMS));
    scattered(counts(&mut session, &COULOMB_SCATTER, 33));
    in_constant_memory(counts(&mut session, &COULOMB_CONSTANT, ATOMS), counts(&mut session, &COULOMB_GATHER, ATOMS));
    let constant = counts(&mut session, &COULOMB_CONSTANT, ATOMS);
    coarsened(counts(&mut session, &COULOMB_COARSENED, ATOMS), constant, 32);
    coarsened(counts(&mut session, &COULOMB_COARSENED_COALESCED, ATOMS), constant, 4);
    let last_chunk = counts(&mut session, &COULOMB_CONSTANT, 4096 + ATOMS);
    assert_eq!(last_chunk.constant_load_requests, constant.constant_load_requests);
}

/// All lanes ask for one atom, and a warp writes two half rows of 16 points.
fn gathered(counts: Counters) {
    assert_eq!((counts.global_load_requests, counts.global_load_sectors), (WARPS * ATOMS, WARPS * ATOMS));
    assert_eq!((counts.global_store_requests, counts.global_store_sectors), (WARPS, 4 * WARPS));
    assert_eq!((counts.constant_load_requests, counts.global_atomic_requests), (0, 0));
}

/// A full warp and one of a single lane add to every point, each lane's addition on its own.
fn scattered(counts: Counters) {
    assert_eq!((counts.global_atomic_requests, counts.global_atomic_sectors), (2 * POINTS, (32 + 1) * POINTS));
    assert_eq!(counts.global_store_requests, 0);
}

/// One address for each of the four words of an atom, and from global memory the points alone.
fn in_constant_memory(counts: Counters, gathered: Counters) {
    assert_eq!((counts.constant_load_requests, counts.constant_load_addresses), (4 * WARPS * ATOMS, 4 * WARPS * ATOMS));
    assert_eq!(counts.constant_load_requests, 4 * gathered.global_load_requests);
    assert_eq!((counts.global_load_requests, counts.global_load_sectors), (WARPS, 4 * WARPS));
    assert_eq!((counts.global_store_requests, counts.global_store_sectors), (WARPS, 4 * WARPS));
}

/// An eighth of the requests for constants, and as many as before for the points.
fn coarsened(counts: Counters, constant: Counters, sectors: u64) {
    assert_eq!(8 * counts.constant_load_requests, constant.constant_load_requests);
    assert_eq!(counts.constant_load_addresses, counts.constant_load_requests);
    assert_eq!((counts.global_store_requests, counts.global_store_sectors), (WARPS, sectors * WARPS));
    assert_eq!((counts.global_load_requests, counts.global_load_sectors), (WARPS, sectors * WARPS));
    assert!(counts.warp_instructions < constant.warp_instructions);
}
