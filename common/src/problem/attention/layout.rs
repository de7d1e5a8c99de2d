//! The layouts of queries, keys, values and outputs on the device.

use super::facts::{OF_BF16, OF_SINGLES};
use crate::error::Error;
use crate::problem::{Facts, Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::{CudaSlice, DeviceRepr};
use reference::attention::{Heads, Positions};

/// The way a rung stores queries, keys, values and outputs on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// The problem with inputs of this precision.
    const FACTS: &'static Facts = &OF_SINGLES;
    /// How many units of 2⁻²⁴ the weight of a value may be off, in addition to the roundings of single precision.
    const MORE_ROUNDINGS: f64 = 0.0;
    /// The bytes of an element of the inputs.
    const BYTES_OF_AN_INPUT: usize = 4;

    /// Copies the inputs to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error>;

    /// Poisons the outputs. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the outputs, head by head and position by position.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn outputs(&self, setup: &Setup) -> Result<Vec<f32>, Error>;
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
    poison: CudaSlice<f32>,
}

impl<E: DeviceRepr> Buffers<E> {
    /// Copies the inputs to the device, each element as `of` makes it.
    fn new(setup: &Setup, positions: &Positions, of: impl Fn(f32) -> E) -> Result<Self, Error> {
        let poison = vec![poison_f32(); positions.q.len()];
        let elements = |inputs: &[f32]| setup.upload::<E>(&inputs.iter().map(|&input| of(input)).collect::<Vec<_>>());
        Ok(Self {
            q: elements(&positions.q)?,
            k: elements(&positions.k)?,
            v: elements(&positions.v)?,
            outputs: setup.upload(&poison)?,
            n: as_i32(positions.n),
            causal: i32::from(positions.heads.is_causal),
            heads: positions.heads,
            poison: setup.upload(&poison)?,
        })
    }
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        Self::new(setup, positions, |input| input)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.outputs)
    }

    fn outputs(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.outputs)
    }
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
    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        let n = positions.n;
        let heads = positions.heads.count;
        let scores = setup.room(heads * n * n.next_multiple_of(TILE))?;
        Ok(Self { buffers: Buffers::prepare(setup, positions)?, scores })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn outputs(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.buffers.outputs(setup)
    }
}

/// With inputs of bf16, which represents them: the high half of their bits.
#[derive(Debug)]
pub struct OfBf16(pub Buffers<u16>);

impl Layout for OfBf16 {
    const FACTS: &'static Facts = &OF_BF16;
    /// A weight of bf16 is off by 2⁻⁸, which is 2¹⁶ units. The other 2⁸ are for the exponential, which is off by 2⁻²², and its
    /// argument: two roundings and the scale, off by 4 units, of a difference that is at most 50 for a weight that counts.
    const MORE_ROUNDINGS: f64 = (1 << 16) as f64 + (1 << 8) as f64;
    const BYTES_OF_AN_INPUT: usize = 2;

    fn prepare(setup: &Setup, positions: &Positions) -> Result<Self, Error> {
        Buffers::new(setup, positions, |input| (input.to_bits() >> 16) as u16).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        let Buffers { outputs, poison, .. } = &mut self.0;
        setup.copy(poison, outputs)
    }

    fn outputs(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.0.outputs)
    }
}
