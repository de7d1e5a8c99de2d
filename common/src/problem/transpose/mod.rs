//! Problem F: the transpose of an n × n matrix of f32: each word is read once and written once, elsewhere.

mod layout;
mod matrix;

pub use layout::{Buffers, Layout};
pub use matrix::Matrix;

use super::facts::{in_a_row, nothing_more, of_pairs};
use super::{Cost, CpuTimes, Facts, Launch, LaunchResult, Problem, Rate, Roof, Run, Setup, Size};
use crate::device::Backend;
use crate::error::Error;
use crate::verify::Report;

/// A transpose, by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Transpose<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    letter: "F",
    title: "transpose of a square matrix",
    unit: ["row", "rows"],
    // 256 MB, several times what the L2 cache of today's largest chips holds.
    n: 1 << 13,
    // Places of words fit 31 bits.
    accepted: 1..=1 << 15,
    steps: None,
    work: of_pairs,
    rate: Rate {
        unit: "GB/s",
        limit: |limits| limits.memory_bytes_per_second,
        limit_name: "for F bytes of memory",
        legend: "GB/s of the bytes that must move.",
    },
    roof: Roof {
        name: "arithmetic",
        unit: "GFLOP/s",
        operations: Some(words),
        note: "For the transpose, which computes nothing, an operation is a word that is moved.",
    },
    traffic_note: "",
    small: [33, 64],
    parameters: &[],
    files: &[],
    extents: in_a_square,
    describe: nothing_more,
};

/// As many rows as columns.
fn in_a_square(size: &Size) -> [u32; 2] {
    let [side, _] = in_a_row(size);
    [side, side]
}

/// Words of a matrix of n rows.
fn words(n: usize) -> f64 {
    (n as f64).powi(2)
}

impl<L: Layout> Problem for Transpose<L> {
    type Inputs = Matrix;
    type Layout = L;

    const FACTS: &'static Facts = &FACTS;

    /// The emulator takes fewer rows: each square of a matrix counts the same.
    fn default_n(&self, backend: Backend) -> usize {
        match backend {
            Backend::Cuda => FACTS.n,
            Backend::Emulator => 1 << 10,
        }
    }

    fn prepare(&self, setup: &Setup, matrix: &Matrix) -> Result<L, Error> {
        L::prepare(setup, matrix)
    }

    fn restore(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.layout.restore(&run.setup)
    }

    fn launch(&self, run: &mut Run<Self>) -> Result<(), Error> {
        run.setup.run(|launch| (self.launch)(launch, &mut run.layout))
    }

    fn recheck(&self, run: &mut Run<Self>) -> Result<Report, Error> {
        Ok(run.inputs.check(&run.layout.output(&run.setup)?))
    }

    fn cost(&self, run: &Run<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * words(run.inputs.n);
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }

    fn time_on_cpu(matrix: &Matrix, _: u32) -> CpuTimes {
        matrix.time_on_cpu()
    }
}
