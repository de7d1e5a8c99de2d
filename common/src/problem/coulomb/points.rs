//! The points at which the potential is wanted: a plane of a grid, and the options that choose it.

use crate::problem::facts::{Accepted, Parameter};
use crate::problem::size::{Parameters, Size};

/// A plane of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points {
    /// Points of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Distance of neighboring points.
    pub spacing: f32,
}

/// Points along a side.
const SIDES: Accepted = Accepted::Whole(1, 1 << 14);

const WIDTH: Parameter = Parameter {
    name: "width",
    value_name: "POINTS",
    help: "Points of a row, for kernels that take a plane of points",
    accepted: SIDES,
    default: 512.0,
    // Nothing divides the sides under --check.
    checked: 100.0,
};

const HEIGHT: Parameter = Parameter {
    name: "height",
    value_name: "ROWS",
    help: "Rows of points, for kernels that take a plane of points",
    checked: 50.0,
    ..WIDTH
};

const SPACING: Parameter = Parameter {
    name: "spacing",
    value_name: "LENGTH",
    help: "Distance of neighboring points, for kernels that take a plane of points",
    accepted: Accepted::Real(1e-3, 1e3),
    default: 0.1,
    checked: 0.1,
};

/// The options of problem E.
pub(super) static PARAMETERS: [Parameter; 3] = [WIDTH, HEIGHT, SPACING];

/// Evaluations of an atom at a point.
pub(super) fn evaluations(size: &Size) -> f64 {
    size.n as f64 * Points::of(&size.parameters).count() as f64
}

impl Points {
    /// The plane that the options name; where they do not, the published one.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        let value = |parameter: &Parameter| parameters.get(parameter.name).unwrap_or(parameter.default);
        Self { width: value(&WIDTH) as u32, height: value(&HEIGHT) as u32, spacing: value(&SPACING) as f32 }
    }

    /// The options that name a plane of this width and height, at the published distance.
    #[must_use]
    pub fn parameters(width: u32, height: u32) -> Parameters {
        Parameters::default().with(WIDTH.name, width).with(HEIGHT.name, height)
    }

    /// Number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// x and y of a point.
    pub(super) fn place(&self, point: usize) -> [f64; 2] {
        let (column, row) = (point % self.width as usize, point / self.width as usize);
        [column, row].map(|step| step as f64 * f64::from(self.spacing))
    }
}

/// Points along x and y.
pub(super) fn extents(size: &Size) -> [u32; 2] {
    let Points { width, height, .. } = Points::of(&size.parameters);
    [width, height]
}

/// `512 x 512 points`.
pub(super) fn describe(parameters: &Parameters) -> String {
    let Points { width, height, .. } = Points::of(parameters);
    format!("{width} x {height} points")
}
