//! Queries, keys and values with tensor maps.

use super::layout::{Buffers, Element, OfElements};
use crate::error::Error;
use crate::problem::tensor_map::{CHUNK, TensorMap};
use crate::problem::{Layout, Setup};
use cudarc::driver::CudaSlice;
use reference::attention::Positions;

/// The positions of a tile.
const TILE: u32 = 128;

/// With inputs of bf16, and tensor maps of them: an array for each head, in boxes of 128 positions and 64 numbers.
#[derive(Debug)]
pub struct Mapped {
    /// The inputs and outputs.
    pub buffers: Buffers<u16>,
    /// The queries.
    pub q: TensorMap,
    /// The keys.
    pub k: TensorMap,
    /// The values.
    pub v: TensorMap,
}

impl Layout for Mapped {
    type Inputs = Positions;
    type Results = Vec<f32>;

    const MORE_ROUNDINGS: f64 = u16::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        let buffers = Buffers::prepare(setup, positions)?;
        let [size, n, heads] = [positions.heads.size, positions.n, positions.heads.count].map(|size| size as u64);
        let map = |inputs: &CudaSlice<u16>| {
            TensorMap::new(setup, inputs, &[size, n, heads], &[2 * size, 2 * size * n], &[CHUNK, TILE, 1])
        };
        let q = map(&buffers.q)?;
        let k = map(&buffers.k)?;
        let v = map(&buffers.v)?;
        Ok(Self { buffers, q, k, v })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.buffers.results(setup)
    }
}

impl OfElements for Mapped {
    type Element = u16;
}
