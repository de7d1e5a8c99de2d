//! The layouts of queries, keys, values and outputs on the device.

use super::facts::{OF_BF16, OF_SINGLES};
use crate::error::Error;
use crate::problem::{Facts, Layout, Setup, as_i32};
use cudarc::driver::{CudaSlice, DeviceRepr};
use reference::attention::{Heads, Positions};
use reference::matmul::bf16_bits;
use std::borrow::Cow;

/// An element of the inputs on the device.
pub trait Element: DeviceRepr + Clone + std::fmt::Debug + 'static {
    /// The problem with inputs of this precision.
    const FACTS: &'static Facts;
    /// How many units of 2⁻²⁴ the weight of a value may be off, in addition to the roundings of single precision.
    const MORE_ROUNDINGS: f64;

    /// Returns the elements of numbers that they represent.
    fn elements(values: &[f32]) -> Cow<'_, [Self]>;
}

impl Element for f32 {
    const FACTS: &'static Facts = &OF_SINGLES;
    const MORE_ROUNDINGS: f64 = 0.0;

    fn elements(values: &[f32]) -> Cow<'_, [Self]> {
        values.into()
    }
}

/// The bits of a number of bf16: the high half of those of single precision.
impl Element for u16 {
    const FACTS: &'static Facts = &OF_BF16;
    /// A weight of bf16 is off by 2⁻⁸, which is 2¹⁶ units. The other 2⁸ are for the exponential, which is off by 2⁻²², and its
    /// argument: two roundings and the scale, off by 4 units, of a difference that is at most 50 for a weight that counts.
    const MORE_ROUNDINGS: f64 = (1 << 16) as f64 + (1 << 8) as f64;

    fn elements(values: &[f32]) -> Cow<'_, [Self]> {
        bf16_bits(values).into()
    }
}

/// A layout with inputs of one precision.
pub trait OfElements: Layout<Inputs = Positions, Results = Vec<f32>> {
    /// The elements of the inputs. Those of the outputs are of single precision.
    type Element: Element;
}

/// Head by head, position by position, with inputs of `E`.
#[derive(Debug)]
pub struct Buffers<E = f32> {
    /// The queries.
    pub q: CudaSlice<E>,
    /// The keys.
    pub k: CudaSlice<E>,
    /// The values.
    pub v: CudaSlice<E>,
    /// The outputs.
    pub outputs: CudaSlice<f32>,
    /// The number of positions.
    pub n: i32,
    /// Whether a query leaves out the keys after it.
    pub causal: i32,
    /// The heads.
    pub heads: Heads,
}

impl<E: Element> Layout for Buffers<E> {
    type Inputs = Positions;
    type Results = Vec<f32>;

    const MORE_ROUNDINGS: f64 = E::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        Ok(Self {
            q: setup.upload(&E::elements(&positions.q))?,
            k: setup.upload(&E::elements(&positions.k))?,
            v: setup.upload(&E::elements(&positions.v))?,
            outputs: setup.room(positions.q.len())?,
            n: as_i32(positions.n),
            causal: i32::from(positions.heads.is_causal),
            heads: positions.heads,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.outputs)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download_results(&self.outputs)
    }
}

impl<E: Element> OfElements for Buffers<E> {
    type Element = E;
}

/// The keys of a tile, to which the rows of scores are padded.
const TILE: usize = 64;

/// With room for all scores.
#[derive(Debug)]
pub struct WithScores {
    /// The inputs and outputs.
    pub buffers: Buffers,
    /// Room for a row of scores for each query: as many as positions, rounded up to whole tiles.
    pub scores: CudaSlice<f32>,
}

impl Layout for WithScores {
    type Inputs = Positions;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        let n = positions.n;
        let heads = positions.heads.count;
        let scores = setup.room(heads * n * n.next_multiple_of(TILE))?;
        Ok(Self { buffers: Buffers::prepare(setup, positions)?, scores })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.buffers.results(setup)
    }
}

impl OfElements for WithScores {
    type Element = f32;
}
