//! The layouts of the matrices on the device.

use super::entry::Entry;
use crate::error::Error;
use crate::problem::{Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
use reference::matmul::Matrices;

/// The inputs for a layout.
pub type MatricesOf<L> = Matrices<<<L as Layout>::Entry as Entry>::Precision>;

/// The way a rung stores the three matrices on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// The entries of both factors. Those of the product are of single precision.
    type Entry: Entry;

    /// Copies the factors to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, matrices: &MatricesOf<Self>) -> Result<Self, Error>;

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
pub struct Buffers<E = f32> {
    /// The left factor.
    pub a: CudaSlice<E>,
    /// The right factor.
    pub b: CudaSlice<E>,
    /// The product.
    pub c: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
    poison: CudaSlice<f32>,
}

impl<E: Entry> Buffers<E> {
    /// Copies the factors to the device, padded with zeros to `n` rows and columns.
    fn new_padded(setup: &Setup, matrices: &MatricesOf<Self>, n: usize) -> Result<Self, Error> {
        let entries = |matrix: &[f32]| pad(matrix, matrices.n, n);
        let poison = vec![poison_f32(); n * n];
        Ok(Self {
            a: setup.upload::<E>(&entries(&matrices.a))?,
            b: setup.upload::<E>(&entries(&matrices.b))?,
            c: setup.upload(&poison)?,
            n: as_i32(n),
            poison: setup.upload(&poison)?,
        })
    }
}

impl<E: Entry> Layout for Buffers<E> {
    type Entry = E;

    fn prepare(setup: &Setup, matrices: &MatricesOf<Self>) -> Result<Self, Error> {
        Self::new_padded(setup, matrices, matrices.n)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.c)
    }

    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.c)
    }
}

/// The side of the tiles to which [`Padded`] rounds n up unless a rung needs larger ones.
pub const TILE: usize = 128;

/// Row by row, padded with zeros to whole tiles of `SIDE` rows and columns: every row then begins at a multiple of 16
/// bytes, and no tile has an edge.
#[derive(Debug)]
pub struct Padded<E = f32, const SIDE: usize = TILE> {
    /// The matrices; [`Buffers::n`] includes the padding.
    pub buffers: Buffers<E>,
    /// The number of rows and of columns without the padding.
    rows: usize,
}

impl<E: Entry, const SIDE: usize> Layout for Padded<E, SIDE> {
    type Entry = E;

    fn prepare(setup: &Setup, matrices: &MatricesOf<Self>) -> Result<Self, Error> {
        let rows = matrices.n;
        Ok(Self { buffers: Buffers::new_padded(setup, matrices, rows.next_multiple_of(SIDE))?, rows })
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

/// Returns the entries of a matrix of `rows` rows, with zeros up to `n` rows and columns.
fn pad<E: Entry>(matrix: &[f32], rows: usize, n: usize) -> Vec<E> {
    let mut all = vec![E::from_f32(0.0); n * n];
    for (to, from) in all.chunks_exact_mut(n).zip(matrix.chunks_exact(rows)) {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = E::from_f32(from));
    }
    all
}
