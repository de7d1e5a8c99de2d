//! Problem I: attention, the sums of values weighted with the softmax of scores, softmax(Q Kᵀ / √d) V, for each head.

mod facts;
mod layout;
mod mapped;
mod options;

pub use layout::{Buffers, Layout, OfBf16, WithScores};
pub use mapped::Mapped;
pub use options::HEAD_SIZES;
pub use reference::attention::{Heads, Positions};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Prepared, Setup};
use crate::error::Error;
use crate::verify::Report;
use facts::multiply_adds;

/// Attention, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Attention<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: Layout> Definition for Attention<L> {
    const FACTS: &'static Facts = L::FACTS;

    type Inputs = Positions;
    type Layout = L;

    fn prepare(&self, setup: &Setup, inputs: &Positions) -> Result<L, Error> {
        L::prepare(setup, inputs)
    }

    fn restore(setup: &Setup, layout: &mut L) -> Result<(), Error> {
        layout.restore(setup)
    }

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check(&case.layout.outputs(&case.setup)?, L::MORE_ROUNDINGS))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let Positions { n, heads, q, .. } = case.inputs.as_ref();
        let amount = 2.0 * multiply_adds(heads, *n);
        let bytes = (3 * L::BYTES_OF_AN_INPUT + 4) as f64 * q.len() as f64;
        Cost { amount, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
