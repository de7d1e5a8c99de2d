//! Problem N: the product of a sparse matrix, in compressed rows, with a vector.
//!
//! A kernel whose blocks do not have whole rows leaves, for each block, the sum of the row that goes on behind it. A further launch
//! adds these sums.

pub use reference::sparse::{Kind, MATRIX, Matrix, count};

use super::facts::{Accepted, Parameter};
use super::{
    Cost, Definition, Facts, Launch, LaunchResult, Layout, Parameters, Prepared, Rate, Roof, Setup, Size, as_u32,
};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use emulator::Sample;
use reference::sparse::MAX_ROWS;

/// A product, computed by launch functions.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    /// Launches the kernel.
    pub multiply: fn(&Launch, &mut Buffers) -> LaunchResult,
    /// Launches the rung's companion, which adds what blocks leave; `None` if a block has whole rows.
    pub add: Option<fn(&Launch, &mut Buffers) -> LaunchResult>,
}

const KIND: Parameter = Parameter {
    name: MATRIX,
    value_name: "KIND",
    help: "Rows of the matrix: 0 lengths by a power law, 1 sixteen random columns, 2 a band of 27 diagonals, 3 awkward ones",
    accepted: Accepted::Whole(0, 3),
    default: 0.0,
    checked: 3.0,
};

fn describe(parameters: &Parameters) -> String {
    let kind = match Kind::of(parameters) {
        Kind::PowerLaw => "lengths by a power law",
        Kind::Random => "16 random columns each",
        Kind::Band => "a band of 27 diagonals",
        Kind::Awkward => "awkward lengths",
    };
    kind.into()
}

/// The matrix, the vector, and their product.
#[derive(Debug)]
pub struct Buffers {
    /// The place of the first element of each row, and behind them the number of elements.
    pub offsets: CudaSlice<u32>,
    /// The column of each element.
    pub columns: CudaSlice<u32>,
    /// The value of each element.
    pub values: CudaSlice<f32>,
    /// The vector.
    pub x: CudaSlice<f32>,
    /// Output: the product of each row.
    pub y: CudaSlice<f32>,
    /// Of each block, the row that goes on behind it. Only kernels with a companion write it.
    pub open_rows: CudaSlice<u32>,
    /// The sum of the elements of this row in the block.
    pub open_sums: CudaSlice<f32>,
    /// Number of rows, and of columns.
    pub n: u32,
}

impl Layout for Buffers {
    type Inputs = Matrix;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, matrix: &Matrix) -> Result<Self, Error> {
        let n = matrix.x.len();
        let blocks = setup.config.grid_dim.0 as usize;
        Ok(Self {
            offsets: setup.upload(&matrix.offsets)?,
            columns: setup.upload(&matrix.columns)?,
            values: setup.upload(&matrix.values)?,
            x: setup.upload(&matrix.x)?,
            y: setup.room(n)?,
            open_rows: setup.room(blocks)?,
            open_sums: setup.room(blocks)?,
            n: as_u32(n),
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.y)?;
        setup.poison(&mut self.open_rows)?;
        setup.poison(&mut self.open_sums)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download_results(&self.y)
    }
}

impl Definition for Sparse {
    const FACTS: &'static Facts = &Facts {
        emulated_n: 1 << 14,
        // A quarter of them are more empty rows in succession than a block of the last kernel takes.
        checked_n: 10_001,
        launches: |_| 1,
        roof: Roof {
            operations: Some(|n| 2.0 * count(&Size::new(n)) as f64),
            note: "For the sparse matrix, an operation is a multiplication or an addition.",
            ..Roof::ARITHMETIC
        },
        small: [1000, 10_000],
        parameters: &[KIND],
        describe,
        ..Facts::new(
            "N",
            "sparse matrix times vector",
            ["row", "rows"],
            [1 << 20, MAX_ROWS],
            Rate::memory("for N bytes of memory"),
        )
    };

    type Layout = Buffers;

    fn launch(&self, launch: &Launch, buffers: &mut Buffers) -> LaunchResult {
        (self.multiply)(launch, buffers)
    }

    fn launches(case: &Prepared<Self>) -> usize {
        if case.problem.add.is_some() { 2 } else { 1 }
    }

    fn launch_one(case: &mut Prepared<Self>, index: usize) -> Result<(), Error> {
        let Prepared { problem, setup, layout, .. } = case;
        match problem.add.filter(|_| index == 1) {
            Some(add) => setup.run_companion(|launch| add(launch, layout)),
            None => case.launch_kernel(),
        }
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(Matrix::check)
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let n = case.inputs.x.len();
        let setup = &case.setup;
        let Some(count) = setup.values_of(sample, n).or_else(|| setup.values_of_tiles(sample, n)) else {
            return Ok(None);
        };
        case.check_results(|matrix, y| matrix.check_written(y, count)).map(Some)
    }

    /// Counts each element of the matrix, each offset, and each element of both vectors once.
    fn cost(case: &Prepared<Self>) -> Cost {
        let Matrix { offsets, values, x, .. } = &*case.inputs;
        let bytes = 8.0 * values.len() as f64 + 4.0 * offsets.len() as f64 + 8.0 * x.len() as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
