//! Problem A: the gravitational force on each body from all others.
//!
//! Positions are uniform in the unit cube and masses uniform in (0, 1], from a ChaCha8 stream. The reference uses
//! the kernels' constants as single precision rounds them.

pub(in crate::problem) use reference::forces::FLOPS_PER_INTERACTION;
pub use reference::forces::{Bodies, GRAVITY, SOFTENING};

use super::facts::pairs;
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Setup, as_i32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use emulator::Sample;

/// All-pairs forces, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Forces<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: Layout<Inputs = Bodies, Results = [Vec<f32>; 3]>> Definition for Forces<L> {
    const FACTS: &'static Facts = &Facts {
        emulated_n: 4096,
        work: pairs,
        ..Facts::new(
            "A",
            "all-pairs forces",
            ["body", "bodies"],
            [16384, 1 << 20],
            Rate::arithmetic("GFLOP/s, 20 operations per interaction."),
        )
    };

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check(&case.results()?, L::MORE_ROUNDINGS))
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of(sample, case.inputs.mass.len()) else { return Ok(None) };
        Ok(Some(case.inputs.check_written(&case.results()?, L::MORE_ROUNDINGS, count)))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let n = case.inputs.mass.len() as f64;
        Cost {
            amount: n * n * FLOPS_PER_INTERACTION,
            interactions: Some(n * n),
            // Three coordinates and a mass in, three components out.
            bytes_needed_by_a_launch: n * 7.0 * 4.0,
        }
    }
}

/// The tutorial's layout: one array per coordinate, each of n values.
#[derive(Debug)]
pub struct Buffers {
    /// Coordinates.
    pub x: CudaSlice<f32>,
    /// Coordinates.
    pub y: CudaSlice<f32>,
    /// Coordinates.
    pub z: CudaSlice<f32>,
    /// Masses.
    pub mass: CudaSlice<f32>,
    /// Output: x component of the force.
    pub fx: CudaSlice<f32>,
    /// Output: y component of the force.
    pub fy: CudaSlice<f32>,
    /// Output: z component of the force.
    pub fz: CudaSlice<f32>,
    /// Number of bodies.
    pub n: i32,
}

impl Layout for Buffers {
    type Inputs = Bodies;
    type Results = [Vec<f32>; 3];

    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        let [x, y, z] = &bodies.coordinates;
        let n = bodies.mass.len();
        Ok(Self {
            x: setup.upload(x)?,
            y: setup.upload(y)?,
            z: setup.upload(z)?,
            mass: setup.upload(&bodies.mass)?,
            fx: setup.room(n)?,
            fy: setup.room(n)?,
            fz: setup.room(n)?,
            n: as_i32(n),
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        let Self { fx, fy, fz, .. } = self;
        [fx, fy, fz].into_iter().try_for_each(|output| setup.poison(output))
    }

    fn results(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        Ok([setup.download(&self.fx)?, setup.download(&self.fy)?, setup.download(&self.fz)?])
    }
}
