//! Running a row at several sizes.

use common::device::DeviceChoice;
use common::options::DEFAULT_SEED;
use common::stage::{Plan, Row, Session, Shape};
use common::verify::Report;
use common::workload::Size;
use common::workload::coulomb::Slice;
use std::sync::{Mutex, PoisonError};

/// Faults are of the last launch in the process, so that tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A slice of this width and height.
pub fn sides((width, height): (u32, u32)) -> Slice {
    Slice { width, height, ..Slice::default() }
}

/// Runs each slice with each number of atoms once, and hands the comparison to `judge`.
pub fn each_report(row: &Row, slices: &[Slice], atoms: &[usize], shape: Shape, judge: impl Fn(&str, Report)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut session = Session::open(DeviceChoice::Auto, false).unwrap();
    for &slice in slices {
        for &n in atoms {
            let size = Size { n, steps: None, seed: DEFAULT_SEED };
            let plan = Plan::with_slice(row, size, slice, shape).unwrap();
            let what = format!("{}, {}, blocks of {}", row.kernel, plan.describe_size(), plan.block);
            let report = session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}"));
            judge(&what, report);
        }
    }
}
