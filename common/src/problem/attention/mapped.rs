//! Queries, keys and values with tensor maps.

use super::layout::{Layout, OfBf16};
use crate::error::Error;
use crate::problem::tensor_map::{CHUNK, TensorMap};
use crate::problem::{Facts, Setup};
use cudarc::driver::CudaSlice;
use reference::attention::Positions;

/// The positions of a tile.
const TILE: u32 = 128;

/// With inputs of bf16, and tensor maps of them: an array for each head, in boxes of 128 positions and 64 numbers.
#[derive(Debug)]
pub struct Mapped {
    /// The inputs and outputs.
    pub buffers: OfBf16,
    /// The queries.
    pub q: TensorMap,
    /// The keys.
    pub k: TensorMap,
    /// The values.
    pub v: TensorMap,
}

impl Layout for Mapped {
    const FACTS: &'static Facts = OfBf16::FACTS;
    const MORE_ROUNDINGS: f64 = OfBf16::MORE_ROUNDINGS;
    const BYTES_OF_AN_INPUT: usize = OfBf16::BYTES_OF_AN_INPUT;

    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        let buffers = OfBf16::prepare(setup, positions)?;
        let [size, n, heads] = [positions.heads.size, positions.n, positions.heads.count].map(|size| size as u64);
        let map = |inputs: &CudaSlice<u16>| {
            TensorMap::new(setup, inputs, &[size, n, heads], &[2 * size, 2 * size * n], &[CHUNK, TILE, 1])
        };
        let q = map(&buffers.0.q)?;
        let k = map(&buffers.0.k)?;
        let v = map(&buffers.0.v)?;
        Ok(Self { buffers, q, k, v })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn outputs(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.buffers.outputs(setup)
    }
}
