//! Problem G: the product of two n × n matrices of f32.

mod layout;

pub use layout::{Buffers, Layout, Padded, TILE};
pub use reference::matmul::Matrices;

use super::facts::in_a_row;
use super::{Case, Cost, CpuTimes, Facts, InputCache, Launch, LaunchResult, Prepared, Problem, Rate, Setup, Size};
use crate::error::Error;
use crate::verify::Report;

/// A matrix product, computed by one launch function on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Matmul<L> {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut L) -> LaunchResult,
}

static FACTS: Facts = Facts {
    emulated_n: 1 << 8,
    checked_n: 130,
    work: |size| multiply_adds(size.n),
    small: [70, 128],
    extents: in_a_square,
    // 2^12 rows fill a large chip several times; up to 2^14, places fit 31 bits with room.
    ..Facts::new(
        "G",
        "product of two square matrices",
        ["row", "rows"],
        [1 << 12, 1 << 14],
        Rate::of_arithmetic("GFLOP/s, 2 operations per multiply-add."),
    )
};

/// [`Facts::extents`]: as many rows as columns.
fn in_a_square(size: &Size) -> [u32; 2] {
    let [side, _] = in_a_row(size);
    [side, side]
}

/// Returns the number of multiply-adds of a product of n rows.
fn multiply_adds(n: usize) -> f64 {
    (n as f64).powi(3)
}

impl<L: Layout> Problem for Matmul<L> {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn prepare<'a>(
        &'a self,
        inputs: &mut InputCache,
        setup: Setup<'a>,
        size: &Size,
    ) -> Result<Box<dyn Case + 'a>, Error> {
        let inputs = inputs.get::<Matrices>(size);
        let layout = L::prepare(&setup, &inputs)?;
        Ok(Box::new(Prepared { problem: self, setup, inputs, layout, steps: size.step_count() }))
    }

    fn time_on_cpu(&self, inputs: &mut InputCache, size: &Size) -> CpuTimes {
        inputs.get::<Matrices>(size).time_on_cpu()
    }
}

impl<L: Layout> Case for Prepared<'_, Matmul<L>, Matrices, L> {
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
        let bytes = 3.0 * 4.0 * (n as f64).powi(2);
        Cost { amount: 2.0 * multiply_adds(n), interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
