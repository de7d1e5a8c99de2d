//! Problem C: the sum of n 32-bit integers; each block writes a partial sum, and the host adds these.

mod layout;

pub use layout::{Buffers, Layout};
pub use reference::reduction::{LARGEST, Values};

use super::{
    Case, Cost, CpuTimes, Facts, InputCache, Launch, LaunchResult, Prepared, Problem, Rate, Roof, Setup, Size,
};
use crate::error::Error;
use crate::verify::Report;

/// A sum, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    emulated_n: 1 << 20,
    roof: Roof {
        operations: Some(|n| n as f64),
        note: "For the sum, an operation is an addition.",
        ..Roof::ARITHMETIC
    },
    small: [1000, 10_000],
    ..Facts::new(
        "C",
        "sum reduction",
        ["integer", "integers"],
        [1 << 24, 1 << 30],
        Rate::of_memory("for C bytes of memory"),
    )
};

impl<L: Layout> Problem for Reduction<L> {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<Values>(size);
        let layout = L::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<Values>(size).time_on_cpu()
    }
}

impl<L: Layout> Case for Prepared<'_, Reduction<L>, Values, L> {
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
        let (partials, values_each) = (self.layout.partials(&self.setup)?, self.layout.values_per_partial(&self.setup));
        Ok(self.inputs.check(&partials, values_each))
    }

    fn cost(&self) -> Cost {
        let bytes = 4.0 * (self.inputs.data.len() as f64 + f64::from(self.setup.config.grid_dim.0));
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
