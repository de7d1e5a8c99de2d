//! The layouts of a problem's data on the device.

use super::setup::Setup;
use crate::error::Error;
use reference::inputs::Inputs;
use std::fmt::Debug;

/// The way a rung stores inputs and outputs on the device.
///
/// A rung with another layout than its problem's `Buffers` (four floats per body, sorted into tiles, …) implements this for a
/// type of its own and names that type in its launch function, which may launch as often as it likes.
pub trait Layout: Debug + Sized + 'static {
    /// The inputs of the problem, with the reference.
    type Inputs: Inputs;

    /// The results in their canonical form, as the comparison takes them.
    type Results;

    /// The largest relative error of an approximation in a term, in units of 2⁻²⁴, in addition to the tutorial's roundings.
    const MORE_ROUNDINGS: f64 = 0.0;

    /// Copies the inputs to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, inputs: &Self::Inputs) -> Result<Self, Error>;

    /// Poisons the outputs, and restores what a run overwrites. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the results of the last run.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn results(&self, setup: &Setup) -> Result<Self::Results, Error>;
}

/// The layout `L`, for a kernel whose terms may be off by `MORE` units of 2⁻²⁴ in addition to the tutorial's roundings.
#[derive(Debug)]
pub struct Rougher<L, const MORE: u32>(pub L);

impl<L: Layout, const MORE: u32> Layout for Rougher<L, MORE> {
    type Inputs = L::Inputs;
    type Results = L::Results;

    const MORE_ROUNDINGS: f64 = MORE as f64;

    fn prepare(setup: &Setup, inputs: &L::Inputs) -> Result<Self, Error> {
        L::prepare(setup, inputs).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<L::Results, Error> {
        self.0.results(setup)
    }
}
