//! Problem A: the gravitational force on each body from all others.
//!
//! Positions are uniform in the unit cube and masses uniform in (0, 1], from a ChaCha8 stream. The reference uses
//! the kernels' constants as single precision rounds them.

mod bodies;

pub use bodies::{Bodies, GRAVITY, SOFTENING};

use super::facts::{FP32, in_a_row, nothing_more, of_pairs};
use super::gravity::FLOPS_PER_INTERACTION;
use super::{Cost, CpuTimes, Facts, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup, as_i32};
use crate::error::Error;
use crate::verify::{Report, poison_f32};
use cudarc::driver::CudaSlice;

/// All-pairs forces, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Forces<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    letter: "A",
    title: "all-pairs forces",
    unit: ["body", "bodies"],
    n: 16384,
    accepted: 1..=1 << 20,
    steps: None,
    work: of_pairs,
    rate: Rate {
        unit: "GFLOP/s",
        limit: |limits| limits.fp32_flops_per_second,
        limit_name: FP32,
        legend: "GFLOP/s, 20 operations per interaction.",
    },
    roof: Roof { name: "arithmetic", unit: "GFLOP/s", operations: None, note: "" },
    traffic_note: "",
    small: [100, 512],
    parameters: &[],
    files: &[],
    extents: in_a_row,
    describe: nothing_more,
};

impl<L: Layout> Problem for Forces<L> {
    type Inputs = Bodies;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    fn prepare(&self, setup: &Setup, bodies: &Bodies) -> Result<L, Error> {
        L::prepare(setup, bodies)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.launch)(launch, &mut run.layout))
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        Ok(run.inputs.check(&run.layout.forces(&run.setup)?, L::MORE_ROUNDINGS))
    }

    fn cost(&self, run: &Run<Self>) -> Cost {
        let n = run.inputs.mass.len() as f64;
        Cost {
            amount: n * n * FLOPS_PER_INTERACTION,
            interactions: Some(n * n),
            // Three coordinates and a mass in, three components out.
            bytes_needed_by_a_launch: n * 7.0 * 4.0,
        }
    }

    fn time_on_cpu(bodies: &Bodies, _: u32) -> CpuTimes {
        bodies.time_on_cpu()
    }
}

/// A rung's way to store bodies and forces.
///
/// A rung that wants them otherwise than in [`Buffers`] (four floats a body, sorted into tiles, …) implements this for
/// a type of its own, and names that type in its launch function, which may launch as often as it likes.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// How many roundings more than the tutorial's a term of the rung may have, for an approximation of its own: the
    /// largest relative error, in units of 2⁻²⁴.
    const MORE_ROUNDINGS: f64 = 0.0;

    /// Copies bodies to the device, in whatever form. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], when the device has no room or refuses a copy.
    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error>;

    /// Poisons the forces, and puts back what a run destroys. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// The forces by component, in the order of the bodies.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn forces(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error>;
}

/// The tutorial's layout: one array a coordinate, each of n values.
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
    poison: CudaSlice<f32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        let [x, y, z] = &bodies.coordinates;
        let poison = vec![poison_f32(); bodies.mass.len()];
        Ok(Self {
            x: setup.upload(x)?,
            y: setup.upload(y)?,
            z: setup.upload(z)?,
            mass: setup.upload(&bodies.mass)?,
            fx: setup.upload(&poison)?,
            fy: setup.upload(&poison)?,
            fz: setup.upload(&poison)?,
            n: as_i32(bodies.mass.len()),
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        let Self { fx, fy, fz, poison, .. } = self;
        [fx, fy, fz].into_iter().try_for_each(|output| setup.copy(poison, output))
    }

    fn forces(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        Ok([setup.download(&self.fx)?, setup.download(&self.fy)?, setup.download(&self.fz)?])
    }
}
