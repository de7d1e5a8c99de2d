//! Problem I: attention, the sums of values weighted with the softmax of scores, softmax(Q Kᵀ / √d) V, for each head.

mod facts;
mod layout;
mod mapped;

pub use facts::HEAD_SIZES;
pub use layout::{Buffers, Element, OfElements, WithScores};
pub use mapped::Mapped;
pub use reference::attention::{Heads, Positions};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Prepared};
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;
use facts::multiply_adds;

/// Attention, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Attention<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: OfElements> Definition for Attention<L> {
    const FACTS: &'static Facts = L::Element::FACTS;

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results, L::MORE_ROUNDINGS))
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of_tiles(sample, case.inputs.q.len()) else { return Ok(None) };
        case.check_results(|inputs, results| inputs.check_written(results, L::MORE_ROUNDINGS, count)).map(Some)
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let Positions { n, heads, q, .. } = case.inputs.as_ref();
        let amount = 2.0 * multiply_adds(heads, *n);
        let bytes = (3 * size_of::<L::Element>() + size_of::<f32>()) as f64 * q.len() as f64;
        Cost { amount, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
