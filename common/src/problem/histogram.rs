//! Problem K: the histogram of n bytes, how often each of 256 values occurs.

pub use reference::histogram::{BINS, Bytes, SKEW};

use super::facts::{Accepted, Parameter};
use super::{Cost, Definition, Facts, Launch, LaunchResult, Layout, Parameters, Prepared, Rate, Roof, Setup, as_u32};
use crate::error::Error;
use crate::verify::Report;
use cudarc::driver::CudaSlice;
use reference::histogram;

/// A histogram, computed by one launch function.
#[derive(Clone, Copy, Debug)]
pub struct Histogram {
    /// Launches the kernel once.
    pub launch: fn(&Launch, &mut Buffers) -> LaunchResult,
}

/// The option for the bytes or keys that are equal.
pub(super) const PERCENT: Parameter = Parameter {
    name: SKEW,
    value_name: "PERCENT",
    help: "Bytes or keys that are equal, in percent; the others are uniform",
    accepted: Accepted::Whole(0, 100),
    default: 0.0,
    // Under --check, some lanes of nearly every warp add to the same bin.
    checked: 50.0,
};

/// Returns `50 % equal`; nothing for uniform values.
pub(super) fn describe(parameters: &Parameters) -> String {
    match histogram::skew(parameters) {
        0 => String::new(),
        equal => format!("{equal} % equal"),
    }
}

/// The bytes, and their bins.
#[derive(Debug)]
pub struct Buffers {
    /// The bytes.
    pub data: CudaSlice<u8>,
    /// Output: how often each value occurs. A kernel adds to the bins, which are zero before.
    pub bins: CudaSlice<i32>,
    /// Number of bytes.
    pub n: u32,
}

impl Layout for Buffers {
    type Inputs = Bytes;
    type Results = Vec<i32>;

    fn prepare(setup: &Setup, bytes: &Bytes) -> Result<Self, Error> {
        Ok(Self { data: setup.upload(&bytes.data)?, bins: setup.room(BINS)?, n: as_u32(bytes.data.len()) })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.clear(&mut self.bins)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        setup.download(&self.bins)
    }
}

impl Definition for Histogram {
    const FACTS: &'static Facts = &Facts {
        // As many bytes as the threads of a grid take twice.
        emulated_n: 1 << 19,
        roof: Roof {
            operations: Some(|n| n as f64),
            note: "For the histogram, an operation is an addition to a bin.",
            ..Roof::ARITHMETIC
        },
        small: [1000, 100_000],
        parameters: &[PERCENT],
        describe,
        // 2^28 bytes are several times the L2 cache of today's largest chips.
        ..Facts::new(
            "K",
            "histogram of bytes",
            ["byte", "bytes"],
            [1 << 28, 1 << 30],
            Rate::memory("for K bytes of memory"),
        )
    };

    type Layout = Buffers;

    fn launch(&self, launch: &Launch, layout: &mut Buffers) -> LaunchResult {
        (self.launch)(launch, layout)
    }

    fn check(case: &mut Prepared<Self>) -> Result<Report, Error> {
        Ok(case.inputs.check(&case.results()?))
    }

    fn cost(case: &Prepared<Self>) -> Cost {
        let bytes = case.inputs.data.len() as f64 + 4.0 * BINS as f64;
        Cost { amount: bytes, interactions: None, bytes_needed_by_a_launch: bytes }
    }
}
