//! The layout of the galaxy on the device.

use crate::error::Error;
use crate::problem::{Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
use reference::galaxy::Disc;
use reference::galaxy::{EPSILON_SQUARED, Float4, State, TIME_STEP};

/// The way a rung stores a galaxy before and after a step.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// The largest relative error of an approximation in a term, in units of 2⁻²⁴, in addition to the tutorial's roundings.
    const MORE_ROUNDINGS: f64 = 0.0;

    /// Copies the initial state to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error>;

    /// Makes the initial state the old one, and poisons the new one. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Poisons the new state.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn poison(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Makes the new state the old one of the next step.
    fn swap(&mut self);

    /// Returns the state before the last step, in the original order of the bodies.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn before(&self, setup: &Setup) -> Result<State, Error>;

    /// Returns the state after the last step.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn after(&self, setup: &Setup) -> Result<State, Error>;
}

/// The tutorial's layout. Positions have the mass as their fourth component; both fourth components are copied.
#[derive(Debug)]
pub struct Buffers {
    /// Positions to read.
    pub position: CudaSlice<Float4>,
    /// Velocities to read.
    pub velocity: CudaSlice<Float4>,
    /// Positions to write.
    pub new_position: CudaSlice<Float4>,
    /// Velocities to write.
    pub new_velocity: CudaSlice<Float4>,
    /// Number of bodies.
    pub n: i32,
    /// Length of a step.
    pub dt: f32,
    /// Softening.
    pub epsilon_squared: f32,
    pristine: [CudaSlice<Float4>; 2],
    poison: CudaSlice<Float4>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        let State { position, velocity } = &disc.state;
        let poison = vec![[poison_f32(); 4]; position.len()];
        Ok(Self {
            position: setup.upload(position)?,
            velocity: setup.upload(velocity)?,
            new_position: setup.upload(&poison)?,
            new_velocity: setup.upload(&poison)?,
            n: as_i32(position.len()),
            dt: TIME_STEP,
            epsilon_squared: EPSILON_SQUARED,
            pristine: [setup.upload(position)?, setup.upload(velocity)?],
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine[0], &mut self.position)?;
        setup.copy(&self.pristine[1], &mut self.velocity)?;
        self.poison(setup)
    }

    fn poison(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.new_position)?;
        setup.copy(&self.poison, &mut self.new_velocity)
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.position, &mut self.new_position);
        std::mem::swap(&mut self.velocity, &mut self.new_velocity);
    }

    fn before(&self, setup: &Setup) -> Result<State, Error> {
        Ok(State { position: setup.download(&self.position)?, velocity: setup.download(&self.velocity)? })
    }

    fn after(&self, setup: &Setup) -> Result<State, Error> {
        Ok(State { position: setup.download(&self.new_position)?, velocity: setup.download(&self.new_velocity)? })
    }
}
