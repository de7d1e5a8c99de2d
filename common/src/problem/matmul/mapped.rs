//! Matrices with tensor maps.

use super::layout::{Buffers, Padded};
use crate::error::Error;
use crate::problem::tensor_map::{CHUNK, TensorMap};
use crate::problem::{Layout, Setup};
use reference::matmul::{Bf16, Matrices};

/// The side of the tiles of the product to which n is rounded up.
const SIDE: usize = 256;

/// Both factors of bf16 with tensor maps, padded with zeros to whole tiles of 256 rows and columns.
///
/// A copy brings `CHUNKS` times 64 columns of the right factor.
#[derive(Debug)]
pub struct Mapped<const CHUNKS: u32> {
    /// The matrices.
    pub padded: Padded<Bf16, SIDE>,
    /// The left factor, in boxes of 128 rows and 64 columns.
    pub a: TensorMap,
    /// The right factor as columns of 64 numbers, in boxes of `CHUNKS` such columns and 64 rows.
    pub b: TensorMap,
}

impl<const CHUNKS: u32> Layout for Mapped<CHUNKS> {
    type Inputs = Matrices<Bf16>;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, matrices: &Matrices<Bf16>) -> Result<Self, Error> {
        let padded = Padded::prepare(setup, matrices)?;
        let n = padded.buffers.n as u64;
        let columns = u64::from(CHUNK);
        let Buffers { a, b, .. } = &padded.buffers;
        let a = TensorMap::new(setup, a, &[n, n], &[2 * n], &[CHUNK, 128])?;
        let b = TensorMap::new(setup, b, &[columns, n, n / columns], &[2 * n, 2 * columns], &[CHUNK, 64, CHUNKS])?;
        Ok(Self { padded, a, b })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.padded.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.padded.results(setup)
    }
}
