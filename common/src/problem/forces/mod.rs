//! Problem A: the gravitational force on each body from all others.
//!
//! Positions are uniform in the unit cube and masses uniform in (0, 1], from a ChaCha8 stream. The reference uses
//! the kernels' constants as single precision rounds them.

pub(in crate::problem) use reference::forces::FLOPS_PER_INTERACTION;
pub use reference::forces::{Bodies, GRAVITY, SOFTENING};

use super::facts::pairs;
use super::{Cost, Definition, Facts, Launch, LaunchResult, Prepared, Rate, Setup, as_i32};
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

impl<L: Layout> Definition for Forces<L> {
    const FACTS: &'static Facts = &FACTS;

    type Inputs = Bodies;
    type Layout = L;

    fn prepare(&self, setup: &Setup, inputs: &Bodies) -> Result<L, Error> {
        L::prepare(setup, inputs)
    }

    fn restore(setup: &Setup, layout: &mut L) -> Result<(), Error> {
        layout.restore(setup)
    }

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check(&case.layout.forces(&case.setup)?, L::MORE_ROUNDINGS))
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

/// The way a rung stores bodies and forces on the device.
///
/// A rung with another layout than [`Buffers`] (four floats per body, sorted into tiles, …) implements this for a type of
/// its own and names that type in its launch function, which may launch as often as it likes.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// The largest relative error of an approximation in a term, in units of 2⁻²⁴, in addition to the tutorial's roundings.
    const MORE_ROUNDINGS: f64 = 0.0;

    /// Copies bodies to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error>;

    /// Poisons the forces, and restores what a run overwrites. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the forces by component, in the order of the bodies.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn forces(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error>;
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
