//! Runs of problem E with several planes of points.

use crate::results::{own_rungs, run_sizes, shapes};
use common::problem::Size;
use common::problem::coulomb::Points;
use common::stage::{Rung, Shape, Stage};
use common::verify::Report;

/// Returns a size with this number of atoms and a plane of this width and height.
#[must_use]
pub fn over_a_plane(atoms: usize, (width, height): (u32, u32)) -> Size {
    Size { parameters: Points::parameters(width, height), ..Size::new(atoms) }
}

/// Widths and heights around the 128 columns of a coarsened tile.
const SIDES: [(u32, u32); 12] = [
    (1, 1),
    (1, 129),
    (129, 1),
    (7, 127),
    (127, 7),
    (128, 1),
    (7, 128),
    (128, 64),
    (127, 65),
    (128, 128),
    (129, 127),
    (16, 7),
];

/// Around a warp.
const FEW_ATOMS: [usize; 3] = [1, 31, 33];

/// Around a block, and around a chunk of constant memory and into a third one.
const MANY_ATOMS: [usize; 8] = [255, 256, 257, 2049, 4095, 4096, 4097, 8200];

/// Requires correct results of every kernel of problem E that the stage adds, at all points.
pub fn all_are_right(stage: &Stage) {
    let judge = |what: &str, report: Report| {
        assert!(report.passed(), "{what}: {report:?}");
        assert_eq!(report.sample, None, "{what}: points were left out");
    };
    for rung in own_rungs(stage, true) {
        for shape in shapes(rung) {
            each_report(rung, &SIDES, &FEW_ATOMS, shape, judge);
        }
        if rung.blocks.accept(1) {
            each_report(rung, &[(1, 1), (7, 127)], &FEW_ATOMS, Shape::block(1), judge);
        }
        each_report(rung, &[(1, 1), (7, 7), (129, 7)], &MANY_ATOMS, Shape::block(rung.block), judge);
    }
}

/// Runs each plane with each number of atoms once, and passes the comparison with the reference to `judge`.
pub fn each_report(rung: &Rung, planes: &[(u32, u32)], atoms: &[usize], shape: Shape, judge: impl Fn(&str, Report)) {
    let sizes = planes.iter().flat_map(|&plane| atoms.iter().map(move |&n| over_a_plane(n, plane)));
    run_sizes(rung, sizes, &[shape], judge);
}
