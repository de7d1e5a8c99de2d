//! Problem J: the exclusive scan of n 32-bit integers: to each the sum of all before it, modulo 2³². And problem Q: the inclusive scan
//! of n numbers in single precision: to each the sum of all up to it.
//!
//! A block knows the numbers of its slice. So most kernels scan slices alone, store the sum of each, scan these sums likewise, and
//! add the results to the slices in a further launch.

pub use reference::scan::{Floats, Numbers};

use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Prepared, Rate, Roof, Setup, as_u32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use reference::inputs::Inputs;

/// A scan, computed by launch functions on data in the layout `L`.
#[derive(Clone, Copy, Debug)]
pub struct Scan<L> {
    /// Launches the kernel on a level: that of the numbers is 0, and the sums of a level's slices are the next one.
    pub scan: fn(&Launch, &mut L, usize) -> LaunchResult,
    /// Launches the rung's companion, which adds the scanned sums of a level's slices to these; `None` if the kernel scans all.
    pub add: Option<fn(&Launch, &mut L, usize) -> LaunchResult>,
}

/// A launch of a run, with its level.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Scan(usize),
    Add(usize),
}

/// The numbers that a scan adds up, four bytes each.
pub trait Addends: Inputs {
    /// An addend, and a sum.
    type Number: DeviceRepr + ValidAsZeroBits + std::fmt::Debug + 'static;

    /// The problem.
    const FACTS: &'static Facts;

    /// Returns the addends.
    fn data(&self) -> &[Self::Number];

    /// Compares the sums.
    fn check_sums(&self, sums: &[Self::Number]) -> Report;
}

impl Addends for Numbers {
    type Number = i32;

    const FACTS: &'static Facts = &INTEGERS;

    fn data(&self) -> &[i32] {
        &self.data
    }

    fn check_sums(&self, sums: &[i32]) -> Report {
        self.check(sums)
    }
}

impl Addends for Floats {
    type Number = f32;

    const FACTS: &'static Facts = &Facts {
        letter: "Q",
        title: "inclusive scan",
        unit: ["number", "numbers"],
        rate: Rate::memory("for Q bytes of memory"),
        roof: Roof { note: "For the inclusive scan, an operation is an addition.", ..INTEGERS.roof },
        ..INTEGERS
    };

    fn data(&self) -> &[f32] {
        &self.data
    }

    fn check_sums(&self, sums: &[f32]) -> Report {
        self.check(sums)
    }
}

const INTEGERS: Facts = Facts {
    emulated_n: 1 << 17,
    // Three slices of the kernels with the longest ones, and a tail.
    checked_n: 20_001,
    launches: |_| 1,
    roof: Roof {
        operations: Some(|n| n as f64),
        note: "For the scan, an operation is an addition.",
        ..Roof::ARITHMETIC
    },
    small: [1000, 10_000],
    ..Facts::new(
        "J",
        "exclusive scan",
        ["integer", "integers"],
        [1 << 24, 1 << 29],
        Rate::memory("for J bytes of memory"),
    )
};

impl<I: Addends, L: Layout<Inputs = I, Results = Vec<I::Number>>> Definition for Scan<L> {
    const FACTS: &'static Facts = I::FACTS;

    type Layout = L;

    fn launch(&self, launch: &Launch, layout: &mut L) -> LaunchResult {
        (self.scan)(launch, layout, 0)
    }

    fn launches(case: &Prepared<Self>) -> usize {
        case.passes().len()
    }

    fn launch_one(case: &mut Prepared<Self>, index: usize) -> Result<(), Error> {
        let pass = case.passes()[index];
        let Prepared { problem, setup, layout, .. } = case;
        match (pass, problem.add) {
            (Pass::Scan(level), _) => setup.run(|launch| (problem.scan)(launch, layout, level)),
            (Pass::Add(level), Some(add)) => setup.run_companion(|launch| add(launch, layout, level)),
            (Pass::Add(_), None) => Ok(()),
        }
    }

    /// Counts alone: each slice needs the sums of all before it, also in a single launch.
    fn verify_sample(case: &mut Prepared<Self>) -> Result<Option<Report>, Error> {
        case.layout.restore(&case.setup)?;
        case.sample_counts()
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check_sums(&case.results()?))
    }

    /// Counts each number once as input and once as output.
    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = 2.0 * 4.0 * case.inputs.data().len() as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}

impl<I: Addends, L: Layout<Inputs = I, Results = Vec<I::Number>>> Prepared<'_, Scan<L>> {
    /// Returns the launches of a run: up through the levels, and down again.
    fn passes(&self) -> Vec<Pass> {
        let levels = match self.problem.add {
            Some(_) => levels(self.inputs.data().len(), &self.setup).len(),
            None => 1,
        };
        (0..levels).map(Pass::Scan).chain((0..levels - 1).rev().map(Pass::Add)).collect()
    }
}

/// Returns the number of values of each level: the last one has a single slice.
fn levels(n: usize, setup: &Setup) -> Vec<usize> {
    let slice = setup.elements_per_block.unwrap_or(n);
    let next = |&values: &usize| (values > slice).then(|| values.div_ceil(slice));
    std::iter::successors(Some(n), next).collect()
}

/// The values of a level, and what a scan makes of them. Both have whole groups of four, for kernels that load these.
#[derive(Debug)]
pub struct Level<T = i32> {
    /// Input, with zeros behind the last value: the numbers, or the sums of the slices of the level below.
    pub values: CudaSlice<T>,
    /// Output: the sum of all values before each, or up to each.
    pub prefixes: CudaSlice<T>,
    /// Number of values.
    pub n: u32,
}

impl<T: DeviceRepr + ValidAsZeroBits> Level<T> {
    /// Returns a level of n values, of which the first are given.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(setup: &Setup, n: usize, values: &[T]) -> Result<Self, Error> {
        let mut room = setup.room(n.next_multiple_of(4))?;
        setup.clear(&mut room)?;
        setup.write(values, &mut room)?;
        Ok(Self { prefixes: setup.room(room.len())?, values: room, n: as_u32(n) })
    }

    /// Returns the sums.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn results(&self, setup: &Setup) -> Result<Vec<T>, Error> {
        let mut prefixes = setup.download(&self.prefixes)?;
        prefixes.truncate(self.n as usize);
        Ok(prefixes)
    }
}

/// The levels, and above them the sum of all numbers, a level that is not scanned.
#[derive(Debug)]
pub struct Buffers {
    /// The levels, that of the numbers first.
    pub levels: Vec<Level>,
}

impl Layout for Buffers {
    type Inputs = Numbers;
    type Results = Vec<i32>;

    fn prepare(setup: &Setup, numbers: &Numbers) -> Result<Self, Error> {
        let sizes = levels(numbers.data.len(), setup).into_iter().chain([1]);
        let values = |index| if index == 0 { &*numbers.data } else { &[] };
        let level = |(index, n)| Level::new(setup, n, values(index));
        Ok(Self { levels: sizes.enumerate().map(level).collect::<Result<_, Error>>()? })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.levels.iter_mut().try_for_each(|level| setup.poison(&mut level.prefixes))
    }

    fn results(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        self.levels[0].results(setup)
    }
}
