//! The layouts of the matrices on the device.

use super::entry::Stored;
use crate::error::Error;
use crate::problem::{Layout, Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::matmul::{Matrices, Single};
use reference::padding::cropped;

/// Row by row, without gaps.
#[derive(Debug)]
pub struct Buffers<P: Stored = Single> {
    /// The left factor.
    pub a: CudaSlice<P::Entry>,
    /// The right factor.
    pub b: CudaSlice<P::Entry>,
    /// The product.
    pub c: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
}

impl<P: Stored> Buffers<P> {
    /// Copies the factors to the device, padded with zeros to `n` rows and columns.
    fn new_padded(setup: &Setup, matrices: &Matrices<P>, n: usize) -> Result<Self, Error> {
        let [a, b] = P::entries(matrices, n);
        Ok(Self { a: setup.upload(&a)?, b: setup.upload(&b)?, c: setup.room(n * n)?, n: as_i32(n) })
    }
}

impl<P: Stored> Layout for Buffers<P> {
    type Inputs = Matrices<P>;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, matrices: &Matrices<P>) -> Result<Self, Error> {
        Self::new_padded(setup, matrices, matrices.n)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.c)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download_results(&self.c)
    }
}

/// The side of the tiles to which [`Padded`] rounds n up unless a rung needs larger ones.
pub const TILE: usize = 128;

/// Row by row, padded with zeros to whole tiles of `SIDE` rows and columns: every row then begins at a multiple of 16
/// bytes, and no tile has an edge.
#[derive(Debug)]
pub struct Padded<P: Stored = Single, const SIDE: usize = TILE> {
    /// The matrices; [`Buffers::n`] includes the padding.
    pub buffers: Buffers<P>,
    /// The number of rows and of columns without the padding.
    rows: usize,
}

impl<P: Stored, const SIDE: usize> Layout for Padded<P, SIDE> {
    type Inputs = Matrices<P>;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, matrices: &Matrices<P>) -> Result<Self, Error> {
        let rows = matrices.n;
        Ok(Self { buffers: Buffers::new_padded(setup, matrices, rows.next_multiple_of(SIDE))?, rows })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        Ok(cropped(self.buffers.results(setup)?, self.buffers.n as usize, [self.rows; 2]))
    }
}
