//! Runs of problem E with several planes of points.

use crate::turn;
use common::device::DeviceChoice;
use common::problem::Size;
use common::problem::coulomb::Points;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use common::verify::Report;

/// Returns a size with this number of atoms and a plane of this width and height.
#[must_use]
pub fn over_a_plane(atoms: usize, (width, height): (u32, u32)) -> Size {
    Size { parameters: Points::parameters(width, height), ..Size::of(atoms) }
}

/// Runs each plane with each number of atoms once, and passes the comparison with the reference to `judge`.
pub fn each_report(rung: &Rung, planes: &[(u32, u32)], atoms: &[usize], shape: Shape, judge: impl Fn(&str, Report)) {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    for &plane in planes {
        for &n in atoms {
            let plan = Plan::new(rung, over_a_plane(n, plane), shape).unwrap();
            let what = format!("{}, {}, blocks of {}", rung.kernel, plan.describe_size(), plan.block);
            let report = session.verify(&plan).unwrap_or_else(|error| panic!("{what}: {error}"));
            judge(&what, report);
        }
    }
}
