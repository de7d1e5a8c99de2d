//! Problem G: the product of two n × n matrices of f32. Problem G16: the same of bf16, with sums in f32.

mod entry;
mod layout;
mod mapped;

pub use entry::Stored;
pub use layout::{Buffers, Padded, TILE};
pub use mapped::Mapped;
pub use reference::matmul::{Bf16, Matrices, Single};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared};
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;
use entry::multiply_adds;

/// A matrix product, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Matmul<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<P: Stored, L: Layout<Inputs = Matrices<P>, Results = Vec<f32>>> Definition for Matmul<L> {
    const FACTS: &'static Facts = P::FACTS;

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results))
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of_tiles(sample, case.inputs.a.len()) else { return Ok(None) };
        case.check_results(|inputs, results| inputs.check_written(results, count)).map(Some)
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let n = case.inputs.n;
        let bytes_of_places = 2 * size_of::<P::Entry>() + size_of::<f32>();
        let bytes = bytes_of_places as f64 * (n as f64).powi(2);
        Cost { amount: 2.0 * multiply_adds(n), interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
