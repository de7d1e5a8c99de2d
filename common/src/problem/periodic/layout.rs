//! How the bodies lie on the device.

use super::body::{Found, RECORD};
use super::inputs::{BodiesInABox, TIME_STEP};
use crate::error::Error;
use crate::problem::{Setup, as_i32};
use cudarc::driver::CudaSlice;

/// A rung's way to store the bodies.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies bodies to the device, in whatever form. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], when the device has no room or refuses a copy.
    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error>;

    /// Puts the bodies into their first state, with poison for accelerations. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// The bodies in their first order.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn bodies(&self, setup: &Setup) -> Result<Vec<Found>, Error>;

    /// x and y of body 0.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn first_place(&self, setup: &Setup) -> Result<[f32; 2], Error> {
        let [x, y, ..] = self.bodies(setup)?[0];
        Ok([x as f32, y as f32])
    }
}

/// The tutorial's layout: a record a body.
#[derive(Debug)]
pub struct Buffers {
    /// [`RECORD`] floats a body.
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
        let (bodies, pristine) = (setup.upload(floats)?, setup.upload(floats)?);
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
