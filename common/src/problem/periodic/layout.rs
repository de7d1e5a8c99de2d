//! The layout of the bodies on the device.

use crate::error::Error;
use crate::problem::{Layout, Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::periodic::{BodiesInABox, TIME_STEP};
use reference::periodic::{Found, RECORD};

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
    type Inputs = BodiesInABox;
    type Results = Vec<Found>;

    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        let floats = inputs.bodies.as_flattened();
        let bodies = setup.upload(floats)?;
        let pristine = setup.upload(floats)?;
        Ok(Self { bodies, n: as_i32(inputs.bodies.len()), dt: TIME_STEP, pristine })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine, &mut self.bodies)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        let floats = setup.download(&self.bodies)?;
        Ok(floats.chunks_exact(RECORD).map(|body| std::array::from_fn(|field| f64::from(body[field]))).collect())
    }
}
