//! The emulator's counts of one launch of a rung.

use crate::languages::keep_outputs;
use crate::{sized, turn};
use common::device::DeviceChoice;
use common::problem::Size;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;

/// The number of sectors of a coalesced access of a full warp to 32-bit words.
pub const FULL_SECTORS: u64 = 4;

/// Returns the counts of one launch, and requires correct results.
#[must_use]
pub fn counts(rung: &Rung, n: usize, shape: Shape) -> Counters {
    let _turn = turn();
    counts_on(rung, n, shape, 0)
}

/// Returns the counts on this number of worker threads of the emulator; 0 for one per core.
fn counts_on(rung: &Rung, n: usize, shape: Shape, threads: usize) -> Counters {
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    session.device.set_emulator_threads(threads);
    let steps = rung.companion.map(|_| 1);
    let plan = Plan::new(rung, Size { steps, ..Size::new(n) }, shape).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    session.device.set_emulator_threads(0);
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

/// Requires that results, to the last bit, and counts do not depend on the number of worker threads of the emulator.
pub fn does_not_depend_on_threads(rung: &Rung) {
    let _turn = turn();
    let shape = Shape::block(rung.block);
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    let mut on =
        |threads| keep_outputs(&mut session, |_| Ok(counts_on(rung, sized(rung, 3000), shape, threads))).unwrap();
    let alone = on(1);
    assert!(!alone.1.is_empty(), "{} wrote nothing", rung.kernel);
    for threads in [2, 5] {
        assert!(on(threads) == alone, "{} differs on {threads} threads", rung.kernel);
    }
}
