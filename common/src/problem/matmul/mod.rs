//! Problem G: the product of two n × n matrices of f32. Problem G16: the same of bf16, with sums in f32.

mod entry;
mod layout;
mod mapped;

pub use entry::Entry;
pub use layout::{Buffers, Layout, MatricesOf, Padded, TILE};
pub use mapped::Mapped;

use super::{Case, Cost, CpuTimes, Facts, InputCache, Launch, LaunchResult, Prepared, Problem, Setup, Size};
use crate::error::Error;
use crate::verify::Report;
use entry::multiply_adds;

/// A matrix product, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Matmul<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: Layout> Problem for Matmul<L> {
    fn facts(&self) -> &'static Facts {
        L::Entry::FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<MatricesOf<L>>(size);
        let layout = L::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<MatricesOf<L>>(size).time_on_cpu()
    }
}

impl<L: Layout> Case for Prepared<'_, Matmul<L>, MatricesOf<L>, L> {
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
        Ok(self.inputs.check(&self.layout.product(&self.setup)?))
    }

    fn cost(&self) -> Cost {
        let n = self.inputs.n;
        let bytes_of_places = 2 * size_of::<L::Entry>() + size_of::<f32>();
        let bytes = bytes_of_places as f64 * (n as f64).powi(2);
        Cost { amount: 2.0 * multiply_adds(n), interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
