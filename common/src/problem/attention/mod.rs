//! Problem I: attention, the sums of values weighted with the softmax of scores, softmax(Q Kᵀ / √d) V, for each head.

mod facts;
mod layout;
mod mapped;
mod options;

pub use layout::{Buffers, Layout, OfBf16, WithScores};
pub use mapped::Mapped;
pub use options::HEAD_SIZES;
pub use reference::attention::{Heads, Positions};

use super::{Case, Cost, CpuTimes, Facts, InputCache, Launch, LaunchResult, Prepared, Problem, Setup, Size};
use crate::error::Error;
use crate::verify::Report;
use facts::multiply_adds;

/// Attention, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Attention<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: Layout> Problem for Attention<L> {
    fn facts(&self) -> &'static Facts {
        L::FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<Positions>(size);
        let layout = L::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<Positions>(size).time_on_cpu()
    }
}

impl<L: Layout> Case for Prepared<'_, Attention<L>, Positions, L> {
    fn setup(&self) -> &Setup<'_> {
        &self.setup
    }

    fn restore(&mut self) -> Result<(), Error> {
        self.layout.restore(&self.setup)
    }

    fn launch(&mut self) -> Result<(), Error> {
        let Self { problem, setup, layout, .. } = self;
        setup.run(|launch| (problem.launch)(launch, layout))
    }

    fn recheck(&mut self) -> Result<Report, Error> {
        Ok(self.inputs.check(&self.layout.outputs(&self.setup)?, L::MORE_ROUNDINGS))
    }

    fn cost(&self) -> Cost {
        let Positions { n, heads, q, .. } = self.inputs.as_ref();
        let amount = 2.0 * multiply_adds(heads, *n);
        let bytes = (3 * L::BYTES_OF_AN_INPUT + 4) as f64 * q.len() as f64;
        Cost { amount, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
