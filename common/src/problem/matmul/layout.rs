//! The layouts of the matrices on the device.

use crate::error::Error;
use crate::problem::{Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
use reference::matmul::Matrices;

/// The way a rung stores the three matrices on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies the factors to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, matrices: &Matrices) -> Result<Self, Error>;

    /// Poisons the product. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the product, row by row without gaps.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error>;
}

/// Row by row, without gaps.
#[derive(Debug)]
pub struct Buffers {
    /// The left factor.
    pub a: CudaSlice<f32>,
    /// The right factor.
    pub b: CudaSlice<f32>,
    /// The product.
    pub c: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
    poison: CudaSlice<f32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, matrices: &Matrices) -> Result<Self, Error> {
        let poison = vec![poison_f32(); matrices.a.len()];
        Ok(Self {
            a: setup.upload(&matrices.a)?,
            b: setup.upload(&matrices.b)?,
            c: setup.upload(&poison)?,
            n: as_i32(matrices.n),
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.c)
    }

    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.c)
    }
}

/// The side of the tiles to which [`Padded`] rounds n up.
pub const TILE: usize = 128;

/// Row by row, padded with zeros to whole tiles of [`TILE`] rows and columns: every row then begins at a multiple of 16
/// bytes, and no tile has an edge.
#[derive(Debug)]
pub struct Padded {
    /// The matrices; [`Buffers::n`] includes the padding.
    pub buffers: Buffers,
    /// The number of rows and of columns without the padding.
    rows: usize,
}

impl Layout for Padded {
    fn prepare(setup: &Setup, matrices: &Matrices) -> Result<Self, Error> {
        let rows = matrices.n;
        let n = rows.next_multiple_of(TILE);
        let poison = vec![poison_f32(); n * n];
        let buffers = Buffers {
            a: setup.upload(&padded(&matrices.a, rows, n))?,
            b: setup.upload(&padded(&matrices.b, rows, n))?,
            c: setup.upload(&poison)?,
            n: as_i32(n),
            poison: setup.upload(&poison)?,
        };
        Ok(Self { buffers, rows })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let padded = self.buffers.product(setup)?;
        let rows = padded.chunks_exact(self.buffers.n as usize).take(self.rows);
        Ok(rows.flat_map(|row| &row[..self.rows]).copied().collect())
    }
}

/// Returns a matrix of `rows` rows with zeros up to `n` rows and columns.
fn padded(matrix: &[f32], rows: usize, n: usize) -> Vec<f32> {
    let mut all = vec![0.0; n * n];
    for (to, from) in all.chunks_exact_mut(n).zip(matrix.chunks_exact(rows)) {
        to[..rows].copy_from_slice(from);
    }
    all
}
