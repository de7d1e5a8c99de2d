//! Problem M: two steps of the heat equation on a grid of n × n cells.
//!
//! A kernel takes one step or two per launch, and a run as many launches as two steps need. What must move is the grid, once in and once out, so a kernel of one step moves at least twice as much.

pub use reference::heat::{Plate, RATE, STEPS};

use super::facts::{in_a_square, pairs};
use super::pitched::Pitched;
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Roof, Setup};
use crate::error::Error;
use crate::verify::Report;

/// Steps of the heat equation, computed by one launch function.
#[derive(Clone, Copy, Debug)]
pub struct Heat {
    /// Launches the kernel once.
    pub launch: fn(&Launch, Pass) -> LaunchResult,
    /// The steps of a launch, which divide [`STEPS`].
    pub steps: u32,
}

/// The data of a launch.
#[derive(Debug)]
pub struct Pass<'a> {
    /// The cells before the launch.
    pub input: &'a Pitched,
    /// Output: the cells after it.
    pub output: &'a mut Pitched,
}

/// The grids. No result depends on their padding.
#[derive(Debug)]
pub struct Grids {
    /// The cells at the start, which are not overwritten.
    pub input: Pitched,
    /// The cells after the first launch, if another one follows.
    pub middle: Pitched,
    /// The cells after the last launch.
    pub output: Pitched,
}

impl Layout for Grids {
    type Inputs = Plate;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, plate: &Plate) -> Result<Self, Error> {
        let input = Pitched::new(setup, &plate.cells, plate.n)?;
        Ok(Self { middle: input.room(setup)?, output: input.room(setup)?, input })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.middle.words)?;
        setup.poison(&mut self.output.words)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        self.output.results(setup)
    }
}

impl Grids {
    /// Returns the data of a launch, of which there are one or two.
    fn pass(&mut self, index: usize, count: u32) -> Pass<'_> {
        let Self { input, middle, output } = self;
        match (index, count) {
            (_, 1) => Pass { input, output },
            (0, _) => Pass { input, output: middle },
            _ => Pass { input: middle, output },
        }
    }
}

const OF_ALL_STEPS: Facts = Facts {
    emulated_n: 1 << 9,
    checked_n: 99,
    launches: |_| 1,
    work: pairs,
    roof: Roof {
        operations: Some(|n| 7.0 * f64::from(STEPS) * (n as f64).powi(2)),
        note: "For the heat equation, operations are three additions and two fused multiply-adds per cell and step.",
        ..Roof::ARITHMETIC
    },
    small: [33, 64],
    extents: in_a_square,
    // 2^13 rows are 256 MB, several times the L2 cache of today's largest chips. Indices of words fit 31 bits.
    ..Facts::new(
        "M",
        "two steps of the heat equation",
        ["row", "rows"],
        [1 << 13, 1 << 14],
        Rate::memory("for M bytes of memory"),
    )
};

static OF_ONE_STEP: Facts = Facts { passes: STEPS, ..OF_ALL_STEPS };

impl Definition for Heat {
    const FACTS: &'static Facts = &OF_ALL_STEPS;

    fn facts(&self) -> &'static Facts {
        if self.count() == 1 { Self::FACTS } else { &OF_ONE_STEP }
    }

    type Layout = Grids;

    fn launch(&self, launch: &Launch, grids: &mut Grids) -> LaunchResult {
        (self.launch)(launch, grids.pass(0, self.count()))
    }

    fn launches(case: &Prepared<Self>) -> usize {
        case.problem.count() as usize
    }

    fn launch_one(case: &mut Prepared<Self>, index: usize) -> Result<(), Error> {
        let Prepared { problem, setup, layout, .. } = case;
        setup.run(|launch| (problem.launch)(launch, layout.pass(index, problem.count())))
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        case.check_results(|inputs, results| inputs.check(results))
    }

    /// Counts each cell once as input and once as output, however many launches there are.
    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * case.inputs.cells.len() as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

impl Heat {
    /// Returns the number of launches of a run.
    fn count(&self) -> u32 {
        STEPS / self.steps
    }
}
