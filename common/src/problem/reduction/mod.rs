//! Problem C: the sum of n 32-bit integers; each block writes a partial sum, and the host adds these.

mod layout;

pub use layout::{Buffers, Layout};
pub use reference::reduction::{LARGEST, Values};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Prepared, Rate, Roof, Setup};
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
        Rate::memory("for C bytes of memory"),
    )
};

impl<L: Layout> Definition for Reduction<L> {
    const FACTS: &'static Facts = &FACTS;

    type Inputs = Values;
    type Layout = L;

    fn prepare(&self, setup: &Setup, inputs: &Values) -> Result<L, Error> {
        L::prepare(setup, inputs)
    }

    fn restore(setup: &Setup, layout: &mut L) -> Result<(), Error> {
        layout.restore(setup)
    }

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        let partials = case.layout.partials(&case.setup)?;
        let values_each = case.layout.values_per_partial(&case.setup);
        Ok(case.inputs.check(&partials, values_each))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 4.0 * (case.inputs.data.len() as f64 + f64::from(case.setup.config.grid_dim.0));
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
