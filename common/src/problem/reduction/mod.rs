//! Problem C: the sum of n 32-bit integers; each block writes the sum of its part, and the host adds those up.

mod layout;
mod values;

pub use layout::{Buffers, Layout};
pub use values::{LARGEST, Values};

use super::facts::{in_a_row, nothing_more, of_elements};
use super::{Cost, CpuTimes, Facts, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup};
use crate::error::Error;
use crate::verify::Report;

/// A sum, by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    letter: "C",
    title: "sum reduction",
    unit: ["integer", "integers"],
    n: 1 << 24,
    accepted: 1..=1 << 30,
    steps: None,
    work: of_elements,
    rate: Rate {
        unit: "GB/s",
        limit: |limits| limits.memory_bytes_per_second,
        limit_name: "for C bytes of memory",
        legend: "GB/s of the bytes that must move.",
    },
    roof: Roof {
        name: "arithmetic",
        unit: "GFLOP/s",
        operations: Some(|n| n as f64),
        note: "For the sum, an operation is an addition.",
    },
    traffic_note: "",
    small: [1000, 10_000],
    parameters: &[],
    files: &[],
    extents: in_a_row,
    describe: nothing_more,
};

impl<L: Layout> Problem for Reduction<L> {
    type Inputs = Values;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    fn prepare(&self, setup: &Setup, values: &Values) -> Result<L, Error> {
        L::prepare(setup, values)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.launch)(launch, &mut run.layout))
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        let (partials, values_each) = (run.layout.partials(&run.setup)?, run.layout.values_per_partial(&run.setup));
        Ok(run.inputs.check(&partials, values_each))
    }

    fn cost(&self, run: &Run<Self>) -> Cost {
        let bytes = 4.0 * (run.inputs.data.len() as f64 + f64::from(run.setup.config.grid_dim.0));
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }

    fn time_on_cpu(values: &Values, _: u32) -> CpuTimes {
        values.time_on_cpu()
    }
}
