//! The plane of points at which the potential is computed.

use crate::size::{Parameters, Size};

/// A plane of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Points {
    /// The number of points in a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The distance of neighboring points.
    pub spacing: f32,
}

impl Points {
    /// The published plane.
    pub const PUBLISHED: Self = Self { width: 512, height: 512, spacing: 0.1 };
    /// The names of the options that choose the width, the height and the spacing.
    pub const OPTIONS: [&str; 3] = ["width", "height", "spacing"];

    /// Returns the plane that the options choose, by default the published one.
    #[must_use]
    pub fn from_parameters(parameters: &Parameters) -> Self {
        let [width, height, spacing] = Self::OPTIONS.map(|name| parameters.get(name));
        Self {
            width: width.map_or(Self::PUBLISHED.width, |width| width as u32),
            height: height.map_or(Self::PUBLISHED.height, |height| height as u32),
            spacing: spacing.map_or(Self::PUBLISHED.spacing, |spacing| spacing as f32),
        }
    }

    /// Returns the options for a plane of this width and height, at the published spacing.
    #[must_use]
    pub fn parameters(width: u32, height: u32) -> Parameters {
        let [width_option, height_option, _] = Self::OPTIONS;
        Parameters::default().with(width_option, width).with(height_option, height)
    }

    /// Returns the number of evaluations of an atom at a point.
    #[must_use]
    pub fn evaluations(size: &Size) -> f64 {
        size.n as f64 * Self::from_parameters(&size.parameters).count() as f64
    }

    /// Returns the number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns x and y of a point.
    pub(super) fn place(&self, point: usize) -> [f64; 2] {
        let column = point % self.width as usize;
        let row = point / self.width as usize;
        [column, row].map(|step| step as f64 * f64::from(self.spacing))
    }
}
