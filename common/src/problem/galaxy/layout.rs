//! The layout of the galaxy on the device.

use crate::error::Error;
use crate::problem::{Layout, Rougher, Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::galaxy::Disc;
use reference::galaxy::{EPSILON_SQUARED, Float4, State, TIME_STEP};

/// A layout whose states before and after a step are in [`Buffers`].
pub trait Stepping: Layout<Inputs = Disc, Results = State> {
    /// Returns both states.
    fn buffers(&mut self) -> &mut Buffers;
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
    /// Number of bodies, with the padding.
    pub n: i32,
    /// Length of a step.
    pub dt: f32,
    /// Softening.
    pub epsilon_squared: f32,
    /// Number of bodies without the padding.
    bodies: usize,
    pristine: [CudaSlice<Float4>; 2],
}

impl Buffers {
    /// Copies a state to the device, padded to a multiple of `unit` bodies with massless ones.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    pub fn new(setup: &Setup, State { position, velocity }: &State, unit: usize) -> Result<Self, Error> {
        let bodies = position.len();
        let padded = bodies.next_multiple_of(unit);
        let [position, velocity] = [position, velocity].map(|values| {
            let mut values = values.clone();
            values.resize(padded, [0.0; 4]);
            values
        });
        Ok(Self {
            position: setup.upload(&position)?,
            velocity: setup.upload(&velocity)?,
            new_position: setup.room(padded)?,
            new_velocity: setup.room(padded)?,
            n: as_i32(padded),
            dt: TIME_STEP,
            epsilon_squared: EPSILON_SQUARED,
            bodies,
            pristine: [setup.upload(&position)?, setup.upload(&velocity)?],
        })
    }

    /// Poisons the new state.
    pub(super) fn poison(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.new_position)?;
        setup.poison(&mut self.new_velocity)
    }

    /// Makes the new state the old one of the next step.
    pub(super) fn swap(&mut self) {
        std::mem::swap(&mut self.position, &mut self.new_position);
        std::mem::swap(&mut self.velocity, &mut self.new_velocity);
    }

    /// Returns the state before the last step.
    pub(super) fn before(&self, setup: &Setup) -> Result<State, Error> {
        self.state(setup, [&self.position, &self.velocity])
    }

    fn state(&self, setup: &Setup, [position, velocity]: [&CudaSlice<Float4>; 2]) -> Result<State, Error> {
        let mut position = setup.download(position)?;
        let mut velocity = setup.download(velocity)?;
        position.truncate(self.bodies);
        velocity.truncate(self.bodies);
        Ok(State { position, velocity })
    }
}

impl Layout for Buffers {
    type Inputs = Disc;
    type Results = State;

    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        Self::new(setup, &disc.state, 1)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine[0], &mut self.position)?;
        setup.copy(&self.pristine[1], &mut self.velocity)?;
        self.poison(setup)
    }

    fn results(&self, setup: &Setup) -> Result<State, Error> {
        self.state(setup, [&self.new_position, &self.new_velocity])
    }
}

impl Stepping for Buffers {
    fn buffers(&mut self) -> &mut Buffers {
        self
    }
}

impl<L: Stepping, const MORE: u32> Stepping for Rougher<L, MORE> {
    fn buffers(&mut self) -> &mut Buffers {
        self.0.buffers()
    }
}
