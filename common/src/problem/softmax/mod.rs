//! Problem H: the softmax of each row of a matrix of f32, y = e^x / Σ e^x, without overflow.

mod layout;

pub use layout::{Buffers, Padded};
pub use reference::softmax::{Rows, columns};

use super::facts::{Accepted, Parameter, in_a_row};
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Parameters, Prepared, Rate, Roof, Size, as_u32};
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;
use reference::softmax;

/// A softmax, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Softmax<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

const COLUMNS: Parameter = Parameter {
    name: softmax::COLUMNS,
    value_name: "COLUMNS",
    help: "Elements per row of the softmax",
    accepted: Accepted::Whole(1, softmax::MAX_COLUMNS as u32),
    default: softmax::DEFAULT_COLUMNS as f64,
    // Under --check, no group of four and no warp divides a row.
    checked: 1030.0,
};

/// The most rows that a block takes at a time: one for each warp of 1024 threads.
const MOST_AT_ONCE: usize = 32;

/// [`Facts::extents`]: columns and rows.
fn extents(size: &Size) -> [u32; 2] {
    let [rows, _] = in_a_row(size);
    [as_u32(softmax::columns(&size.parameters)), rows]
}

/// Returns `1024 columns`.
fn describe(parameters: &Parameters) -> String {
    format!("{} columns", softmax::columns(parameters))
}

/// Returns the number of elements of a matrix.
fn elements(rows: usize, columns: usize) -> f64 {
    rows as f64 * columns as f64
}

impl<L: Layout<Inputs = Rows, Results = Vec<f32>>> Definition for Softmax<L> {
    const FACTS: &'static Facts = &Facts {
        emulated_n: 1 << 6,
        checked_n: 35,
        work: |size| elements(size.n, softmax::columns(&size.parameters)),
        roof: Roof {
            operations: Some(|n| 4.0 * elements(n, softmax::DEFAULT_COLUMNS)),
            note: "For the softmax, operations are a difference, an exponential, an addition and a product per element.",
            ..Roof::ARITHMETIC
        },
        small: [5, 40],
        parameters: &[COLUMNS],
        extents,
        describe,
        // 2^16 rows of 2^10 columns are 256 MB, several times the L2 cache of today's largest chips. The kernels count words in 64 bits.
        ..Facts::new(
            "H",
            "softmax of the rows of a matrix",
            ["row", "rows"],
            [1 << 16, 1 << 16],
            Rate::memory("for H bytes of memory"),
        )
    };

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results))
    }

    /// Compares if a block has one row, or at least as many as it takes at a time.
    fn check_written(case: &mut Prepared<Self>, sample: &Sample) -> Result<Option<Report>, Error> {
        let rows = case.setup.values_of_tiles(sample, case.inputs.n);
        let is_whole = |rows: &usize| *rows == sample.blocks.len() || *rows >= MOST_AT_ONCE * sample.blocks.len();
        let Some(rows) = rows.filter(is_whole) else { return Ok(None) };
        case.check_results(|inputs, results| inputs.check_written(results, rows * inputs.columns)).map(Some)
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * elements(case.inputs.n, case.inputs.columns);
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
