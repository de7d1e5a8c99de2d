//! Problem I: attention, the sums of values weighted with the softmax of scores, softmax(Q Kᵀ / √d) V, for each head.

mod layout;
mod options;

pub use layout::{Buffers, Layout, OfBf16, WithScores};
pub use options::HEAD_SIZES;
pub use reference::attention::{Heads, Positions};

use super::{Case, Cost, CpuTimes, Facts, InputCache, Launch, LaunchResult, Prepared, Problem, Rate, Setup, Size};
use crate::error::Error;
use crate::verify::Report;

/// Attention, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Attention<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

const FACTS: Facts = Facts {
    emulated_n: 100,
    checked_n: 70,
    work: |size| multiply_adds(&Heads::of(&size.parameters), size.n),
    small: [5, 70],
    parameters: &options::PARAMETERS,
    extents: options::extents,
    describe: options::describe,
    // 2^12 positions of 16 heads fill a large chip several times; up to 2^15, the places of a head fit 31 bits.
    ..Facts::new(
        "I",
        "attention",
        ["position", "positions"],
        [1 << 12, 1 << 15],
        Rate::of_arithmetic("GFLOP/s, 4 operations per element of a head for each pair of a query and a key."),
    )
};

static OF_SINGLES: Facts = FACTS;

static OF_BF16: Facts = Facts {
    letter: "I16",
    title: "attention of bf16",
    rate: Rate {
        limit: |_| None,
        limit_name: "",
        ..Rate::of_arithmetic("GFLOP/s, 4 operations per element of a head for each pair of a query and a key.")
    },
    ..FACTS
};

/// Returns the number of multiply-adds of both products.
fn multiply_adds(heads: &Heads, n: usize) -> f64 {
    2.0 * heads.pairs(n) * heads.size as f64
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
