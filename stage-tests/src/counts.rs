//! What the emulator counts in one launch of a rung, and whether it depends on the emulator's threads.

use crate::twins::{keeping_outputs, take_outputs};
use crate::{sized, turn};
use common::device::DeviceChoice;
use common::plan::Plan;
use common::problem::Size;
use common::session::Session;
use common::stage::{Rung, Shape};
use emulator::Counters;

/// Each global access of a full warp to neighboring words touches this many sectors.
pub const FULL_SECTORS: u64 = 4;

/// The counts of one launch, whose results are right.
#[must_use]
pub fn counts(rung: &Rung, n: usize, shape: Shape) -> Counters {
    let _turn = turn();
    counts_on(rung, n, shape, 0)
}

/// The same on this number of threads of the emulator; 0 for as many as there are cores.
fn counts_on(rung: &Rung, n: usize, shape: Shape, threads: usize) -> Counters {
    let mut session = Session::open(DeviceChoice::Emulator, false).unwrap();
    session.device.set_emulator_threads(threads);
    let steps = rung.companion.map(|_| 1);
    let plan = Plan::new(rung, Size { steps, ..Size::of(n) }, shape).unwrap();
    let outcome = session.run(&plan, 1).unwrap();
    session.device.set_emulator_threads(0);
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

/// Results are the same to the last bit, and counts the same, on one thread of the emulator and on several.
pub fn does_not_depend_on_threads(rung: &Rung) {
    let _turn = turn();
    let (kept, shape) = (keeping_outputs(rung), Shape::block(rung.block));
    let on = |threads| {
        let counters = counts_on(&kept, sized(rung, 3000), shape, threads);
        (take_outputs(), counters)
    };
    let alone = on(1);
    assert!(!alone.0.is_empty(), "{} wrote nothing", rung.kernel);
    for threads in [2, 5] {
        assert!(on(threads) == alone, "{} differs on {threads} threads", rung.kernel);
    }
}
