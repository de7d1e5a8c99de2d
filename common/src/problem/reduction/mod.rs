//! Problem C: the sum of n 32-bit integers; each block writes a partial sum, and the host adds these.

pub use reference::reduction::{LARGEST, Values};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Roof, Setup, as_u32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use emulator::Sample;

/// A sum, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

impl<L: Layout<Inputs = Values, Results = Partials>> Definition for Reduction<L> {
    const FACTS: &'static Facts = &Facts {
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

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        let Partials { sums, values_each } = case.results()?;
        Ok(case.inputs.check(&sums, values_each))
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Partials { sums, values_each } = case.results()?;
        Ok(values_each.map(|values| case.inputs.check_written(&sums, values, sample.blocks.len())))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 4.0 * (case.inputs.data.len() as f64 + f64::from(case.setup.config.grid_dim.0));
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

/// The results of a sum: one for each block, or any number of sums that add up to that of all values.
#[derive(Debug)]
pub struct Partials {
    /// The partial sums.
    pub sums: Vec<i32>,
    /// The number of consecutive values per partial sum; `None` if that is unknown, so only the sum of all is compared.
    pub values_each: Option<usize>,
}

/// The tutorial's layout.
#[derive(Debug)]
pub struct Buffers {
    /// The values; a kernel may overwrite them.
    pub data: CudaSlice<i32>,
    /// Output: one partial sum per block.
    pub partials: CudaSlice<i32>,
    /// Number of values.
    pub n: u32,
    pristine: CudaSlice<i32>,
}

impl Layout for Buffers {
    type Inputs = Values;
    type Results = Partials;

    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error> {
        Ok(Self {
            data: setup.upload(&values.data)?,
            partials: setup.room(setup.config.grid_dim.0 as usize)?,
            n: as_u32(values.data.len()),
            pristine: setup.upload(&values.data)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine, &mut self.data)?;
        setup.poison(&mut self.partials)
    }

    fn results(&self, setup: &Setup) -> Result<Partials, Error> {
        Ok(Partials { sums: setup.download(&self.partials)?, values_each: setup.elements_per_block })
    }
}
