//! Problem F: the transpose of an n × n matrix of f32: each word is read once and written once.

pub use reference::transpose::Matrix;

use super::facts::{in_a_square, pairs};
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Roof, Setup, as_i32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use emulator::Sample;

/// A transpose, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Transpose<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

/// Returns the number of words of a matrix of n rows.
fn words(n: usize) -> f64 {
    (n as f64).powi(2)
}

impl<L: Layout<Inputs = Matrix, Results = Vec<f32>>> Definition for Transpose<L> {
    const FACTS: &'static Facts = &Facts {
        emulated_n: 1 << 10,
        work: pairs,
        roof: Roof {
            operations: Some(words),
            note: "For the transpose, which computes nothing, an operation is a word that is moved.",
            ..Roof::ARITHMETIC
        },
        small: [33, 64],
        is_seeded: false,
        extents: in_a_square,
        // 2^13 rows are 256 MB, several times the L2 cache of today's largest chips; up to 2^15, the number of a word fits 31 bits.
        ..Facts::new(
            "F",
            "transpose of a square matrix",
            ["row", "rows"],
            [1 << 13, 1 << 15],
            Rate::memory("for F bytes of memory"),
        )
    };

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results))
    }

    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let Some(count) = case.setup.values_of_tiles(sample, case.inputs.words.len()) else { return Ok(None) };
        case.check_results(|inputs, results| inputs.check_written(results, count)).map(Some)
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * words(case.inputs.n);
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

/// Row by row, without gaps.
#[derive(Debug)]
pub struct Buffers {
    /// The matrix.
    pub input: CudaSlice<f32>,
    /// Its transpose.
    pub output: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
}

impl Layout for Buffers {
    type Inputs = Matrix;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, matrix: &Matrix) -> Result<Self, Error> {
        Ok(Self { input: setup.upload(&matrix.words)?, output: setup.room(matrix.words.len())?, n: as_i32(matrix.n) })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.output)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download_results(&self.output)
    }
}
