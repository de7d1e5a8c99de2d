//! A wrapper for the layout of any rung that keeps the outputs for [`take_outputs`].

use common::Error;
use common::problem::coulomb::Plane;
use common::problem::galaxy::{Buffers, State, Stepping};
use common::problem::periodic::Found;
use common::problem::reduction::Partials;
use common::problem::{Layout, Setup};
use cudarc::driver::CudaSlice;
use std::sync::Mutex;

/// The outputs of the last run with a layout in [`Kept`].
static OUTPUT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Takes the outputs that were kept since the last call.
#[must_use]
pub fn take_outputs() -> Vec<u32> {
    std::mem::take(&mut *OUTPUT.lock().expect("no test panics while it writes"))
}

/// Keeps the words of an output for [`take_outputs`].
pub fn keep(words: impl Iterator<Item = u32>) {
    OUTPUT.lock().expect("no test panics while it writes").extend(words);
}

/// The wrapper, which contains the layout of the launch function.
#[derive(Debug)]
pub struct Kept<L>(pub L);

/// Results of a problem, as words of 32 bits.
pub trait Words {
    /// Returns the words.
    fn words(&self) -> Vec<u32>;
}

impl Words for Vec<f32> {
    fn words(&self) -> Vec<u32> {
        self.iter().map(|value| value.to_bits()).collect()
    }
}

impl Words for [Vec<f32>; 3] {
    fn words(&self) -> Vec<u32> {
        self.iter().flat_map(Words::words).collect()
    }
}

impl Words for Vec<Found> {
    /// A position may have 32 significant bits, which need an f64.
    fn words(&self) -> Vec<u32> {
        let bits = self.iter().flatten().map(|value| value.to_bits());
        bits.flat_map(|bits| [bits as u32, (bits >> 32) as u32]).collect()
    }
}

impl Words for Partials {
    fn words(&self) -> Vec<u32> {
        self.sums.iter().copied().map(i32::cast_unsigned).collect()
    }
}

impl Words for State {
    fn words(&self) -> Vec<u32> {
        self.position.iter().chain(&self.velocity).flatten().copied().map(f32::to_bits).collect()
    }
}

impl<L: Layout<Results: Words>> Layout for Kept<L> {
    type Inputs = L::Inputs;
    type Results = L::Results;

    const MORE_ROUNDINGS: f64 = L::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, inputs: &L::Inputs) -> Result<Self, Error> {
        L::prepare(setup, inputs).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<L::Results, Error> {
        let results = self.0.results(setup)?;
        keep(results.words().into_iter());
        Ok(results)
    }
}

impl<L: Stepping> Stepping for Kept<L> {
    fn buffers(&mut self) -> &mut Buffers {
        self.0.buffers()
    }
}

impl<L: Plane> Plane for Kept<L> {
    fn potential(&mut self) -> &mut CudaSlice<f32> {
        self.0.potential()
    }
}
