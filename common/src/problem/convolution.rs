//! Problem O: the convolution of an n × n image with a filter of 3 × 3 or 7 × 7 taps. Pixels outside of the image are 0.

pub use reference::convolution::{Image, MAX_TAPS, RADII, RADIUS, radius};

use super::facts::{Accepted, Parameter, in_a_square};
use super::pitched::Pitched;
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Parameters, Prepared, Rate, Roof, Setup};
use crate::error::Error;
use crate::verify::Report;

/// A convolution, computed by one launch function.
#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut Buffers) -> LaunchResult,
}

const OPTION: Parameter = Parameter {
    name: RADIUS,
    value_name: "PIXELS",
    help: "Radius of the convolution's filter: 1 for 3 x 3 taps, 3 for 7 x 7",
    accepted: Accepted::OneOf(RADII),
    default: RADII[0] as f64,
    checked: RADII[0] as f64,
};

/// Returns the number of taps.
fn taps(parameters: &Parameters) -> usize {
    (2 * radius(parameters) + 1).pow(2)
}

/// Returns `7 x 7 taps`.
fn describe(parameters: &Parameters) -> String {
    let side = 2 * radius(parameters) + 1;
    format!("{side} x {side} taps")
}

/// The image and its convolution. Kernels may rely on zeros as the padding of the image.
#[derive(Debug)]
pub struct Buffers {
    /// The image.
    pub input: Pitched,
    /// Output: its convolution.
    pub output: Pitched,
    /// The filter's taps, which are an argument of the kernel. A smaller filter is at the beginning.
    pub taps: [f32; MAX_TAPS],
}

impl Layout for Buffers {
    type Inputs = Image;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, image: &Image) -> Result<Self, Error> {
        let input = Pitched::new(setup, &image.pixels, image.n)?;
        Ok(Self { output: input.room(setup)?, input, taps: image.filter.taps })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.output.words)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.output.results(setup)
    }
}

impl Definition for Convolution {
    const FACTS: &'static Facts = &Facts {
        emulated_n: 1 << 8,
        checked_n: 99,
        work: |size| (size.n as f64).powi(2) * taps(&size.parameters) as f64,
        roof: Roof {
            operations: Some(|n| 2.0 * (n as f64).powi(2) * MAX_TAPS as f64),
            note: "For the convolution, operations are a product and an addition for each pixel and tap.",
            ..Roof::ARITHMETIC
        },
        small: [33, 64],
        parameters: &[OPTION],
        extents: in_a_square,
        describe,
        // 2^13 rows are 256 MB, several times the L2 cache of today's largest chips. Indices of words fit 31 bits.
        ..Facts::new(
            "O",
            "convolution of an image",
            ["row", "rows"],
            [1 << 13, 1 << 14],
            Rate::memory("for O bytes of memory"),
        )
    };

    type Layout = Buffers;

    fn launch(&self, launch: &Launch, layout: &mut Buffers) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results))
    }

    /// Counts each pixel once as input and once as output.
    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * case.inputs.pixels.len() as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
