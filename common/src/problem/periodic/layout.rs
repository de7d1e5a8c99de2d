//! The layout of the bodies on the device.

use crate::error::Error;
use crate::problem::{Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::periodic::{BodiesInABox, TIME_STEP};
use reference::periodic::{Found, RECORD};

/// The way a rung stores the bodies on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies bodies to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error>;

    /// Resets the bodies to their initial state, with poisoned accelerations. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the bodies in their original order.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn bodies(&self, setup: &Setup) -> Result<Vec<Found>, Error>;

    /// Returns x and y of body 0.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn first_place(&self, setup: &Setup) -> Result<[f32; 2], Error> {
        let [x, y, ..] = self.bodies(setup)?[0];
        Ok([x as f32, y as f32])
    }
}

/// The tutorial's layout: one record per body.
#[derive(Debug)]
pub struct Buffers {
    /// [`RECORD`] floats per body.
    pub bodies: CudaSlice<f32>,
    /// Number of bodies.
    pub n: i32,
    /// Length of a step.
    pub dt: f32,
    pristine: CudaSlice<f32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        let floats = inputs.bodies.as_flattened();
        let bodies = setup.upload(floats)?;
        let pristine = setup.upload(floats)?;
        Ok(Self { bodies, n: as_i32(inputs.bodies.len()), dt: TIME_STEP, pristine })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine, &mut self.bodies)
    }

    fn bodies(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        let floats = setup.download(&self.bodies)?;
        Ok(floats.chunks_exact(RECORD).map(|body| std::array::from_fn(|field| f64::from(body[field]))).collect())
    }

    fn first_place(&self, setup: &Setup) -> Result<[f32; 2], Error> {
        let mut place = [0.0; 2];
        setup.download_part(&self.bodies, &mut place)?;
        Ok(place)
    }
}
