//! Problem L: the sort of n 32-bit keys, digit by digit; and problem P: that of n pairs of a key and a value.
//!
//! A pass moves each key to its place by one digit, and keeps the order of keys with equal digits; so after the pass of the highest
//! digit all are in order. Each pass is a launch, and before it another kernel counts digits.

pub use reference::sort::{FREQUENT, Keys, Pairs};

use super::histogram::{PERCENT, describe};
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Roof, Setup, as_u32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use reference::inputs::Inputs;

/// A sort, computed by launch functions on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Sort<L> {
    /// Passes of a run, an even number.
    pub passes: u32,
    /// Launches the rung's companion, which counts digits before a pass.
    pub count: fn(&Launch, &mut L, u32) -> LaunchResult,
    /// Whether the companion counts the digits of all passes before the first one.
    pub counts_once: bool,
    /// Launches the kernel, a pass.
    pub pass: fn(&Launch, &mut L, u32) -> LaunchResult,
}

/// A launch of a run, with the index of its pass.
#[derive(Clone, Copy, Debug)]
enum Step {
    Count(u32),
    Pass(u32),
}

/// The elements that a sort moves.
pub trait Items: Inputs {
    /// The items in their order.
    type Sorted;

    /// The problem.
    const FACTS: &'static Facts;

    /// The size of an item.
    const BYTES: usize;

    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Compares the items in their order.
    fn check_sorted(&self, sorted: &Self::Sorted) -> Report;
}

impl Items for Keys {
    type Sorted = Vec<i32>;

    const FACTS: &'static Facts = &KEYS;
    const BYTES: usize = 4;

    fn count(&self) -> usize {
        self.data.len()
    }

    fn check_sorted(&self, sorted: &Vec<i32>) -> Report {
        self.check(sorted)
    }
}

impl Items for Pairs {
    type Sorted = [Vec<i32>; 2];

    const FACTS: &'static Facts = &Facts {
        letter: "P",
        title: "sort of pairs",
        unit: ["pair", "pairs"],
        rate: Rate::memory("for P bytes of memory"),
        roof: Roof { note: "For the sort of pairs, an operation puts a pair into its place.", ..KEYS.roof },
        ..KEYS
    };
    const BYTES: usize = 8;

    fn count(&self) -> usize {
        self.keys.data.len()
    }

    fn check_sorted(&self, sorted: &[Vec<i32>; 2]) -> Report {
        self.check(sorted)
    }
}

const KEYS: Facts = Facts {
    emulated_n: 1 << 15,
    // Three tiles of the largest blocks, and a tail.
    checked_n: 20_001,
    launches: |_| 1,
    roof: Roof {
        operations: Some(|n| n as f64),
        note: "For the sort, an operation puts a key into its place.",
        ..Roof::ARITHMETIC
    },
    small: [1000, 10_000],
    parameters: &[PERCENT],
    describe,
    ..Facts::new("L", "sort of 32-bit keys", ["key", "keys"], [1 << 24, 1 << 28], Rate::memory("for L bytes of memory"))
};

impl<L: Layout> Definition for Sort<L>
where
    L::Inputs: Items<Sorted = L::Results>,
{
    const FACTS: &'static Facts = <L::Inputs as Items>::FACTS;

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.pass)(launch, layout, 0)
    }

    fn launches(case: &Prepared<Self>) -> usize {
        case.problem.steps().len()
    }

    fn launch_one(case: &mut Prepared<Self>, index: usize) -> Result<(), Error> {
        let Prepared { problem, setup, layout, .. } = case;
        match problem.steps()[index] {
            Step::Count(pass) => setup.run_companion(|launch| (problem.count)(launch, layout, pass)),
            Step::Pass(pass) => setup.run(|launch| (problem.pass)(launch, layout, pass)),
        }
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check_sorted(&case.results()?))
    }

    /// Counts each item once as input and once as output.
    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = (2 * L::Inputs::BYTES * case.inputs.count()) as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

impl<L> Sort<L> {
    /// Returns the launches of a run in their order.
    fn steps(&self) -> Vec<Step> {
        let counted = |pass: u32| (pass == 0 || !self.counts_once).then_some(Step::Count(pass));
        (0..self.passes).flat_map(|pass| counted(pass).into_iter().chain([Step::Pass(pass)])).collect()
    }
}

/// The keys of a run, or their values: the first pass reads the input, each other one what the last one wrote.
#[derive(Debug)]
pub struct Buffers {
    /// Input.
    pub keys: CudaSlice<i32>,
    /// Written by the passes in turn. The second one is the output, since the number of passes is even.
    pub moved: [CudaSlice<i32>; 2],
    /// Number of keys.
    pub n: u32,
}

impl Buffers {
    /// Copies keys, or values, to the device.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(setup: &Setup, keys: &[i32]) -> Result<Self, Error> {
        let n = keys.len();
        Ok(Self { keys: setup.upload(keys)?, moved: [setup.room(n)?, setup.room(n)?], n: as_u32(n) })
    }

    /// Returns the keys before and after a pass.
    pub fn of_pass(&mut self, pass: u32) -> (&CudaSlice<i32>, &mut CudaSlice<i32>) {
        let Self { keys, moved: [one, other], .. } = self;
        match pass {
            0 => (keys, one),
            _ if pass % 2 == 1 => (one, other),
            _ => (other, one),
        }
    }
}

impl Layout for Buffers {
    type Inputs = Keys;
    type Results = Vec<i32>;

    fn prepare(setup: &Setup, keys: &Keys) -> Result<Self, Error> {
        Self::new(setup, &keys.data)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.moved.iter_mut().try_for_each(|keys| setup.poison(keys))
    }

    fn results(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        setup.download(&self.moved[1])
    }
}
