//! The options that choose the plane of points.

use crate::problem::facts::{Accepted, Parameter};
use reference::coulomb::Points;
use reference::size::{Parameters, Size};

const PUBLISHED: Points = Points::PUBLISHED;
const NAMES: [&str; 3] = Points::OPTIONS;

/// Points along a side.
const SIDES: Accepted = Accepted::Whole(1, 1 << 14);

const WIDTH: Parameter = Parameter {
    name: NAMES[0],
    value_name: "POINTS",
    help: "Points per row of the plane",
    accepted: SIDES,
    default: PUBLISHED.width as f64,
    // Under --check, no tile divides the sides.
    checked: 100.0,
};

const HEIGHT: Parameter = Parameter {
    name: NAMES[1],
    value_name: "ROWS",
    help: "Rows of the plane",
    default: PUBLISHED.height as f64,
    checked: 50.0,
    ..WIDTH
};

const SPACING: Parameter = Parameter {
    name: NAMES[2],
    value_name: "LENGTH",
    help: "Distance of neighboring points of the plane",
    accepted: Accepted::Real(1e-3, 1e3),
    default: 0.1,
    checked: 0.1,
};

/// The options of problem E.
pub(super) static PARAMETERS: [Parameter; 3] = [WIDTH, HEIGHT, SPACING];

/// Returns the points along x and y.
pub(super) fn extents(size: &Size) -> [u32; 2] {
    let Points { width, height, .. } = Points::from_parameters(&size.parameters);
    [width, height]
}

/// Returns `512 x 512 points`.
pub(super) fn describe(parameters: &Parameters) -> String {
    let Points { width, height, .. } = Points::from_parameters(parameters);
    format!("{width} x {height} points")
}
