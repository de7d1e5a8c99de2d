//! The layout of the matrices on the device.

use crate::error::Error;
use crate::problem::{Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
use reference::transpose::Matrix;

/// The way a rung stores the two matrices on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies the matrix to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, matrix: &Matrix) -> Result<Self, Error>;

    /// Poisons the output. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the transposed matrix, row by row.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn output(&self, setup: &Setup) -> Result<Vec<f32>, Error>;
}

/// Row by row, without gaps.
#[derive(Debug)]
pub struct Buffers {
    /// The matrix.
    pub input: CudaSlice<f32>,
    /// Its transpose.
    pub output: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
    poison: CudaSlice<f32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, matrix: &Matrix) -> Result<Self, Error> {
        let poison = vec![poison_f32(); matrix.words.len()];
        Ok(Self {
            input: setup.upload(&matrix.words)?,
            output: setup.upload(&poison)?,
            n: as_i32(matrix.n),
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.output)
    }

    fn output(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.output)
    }
}
