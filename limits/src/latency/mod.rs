//! How long units take to answer, and what hides it: `cargo run -p limits -- --latency`.
//!
//! A scheduler with one warp, and that with one chain of instructions, waits for each result; more warps and more chains fill
//! the wait. Memory with few bytes under way answers as soon as with many. [`points`] is what is measured.

mod run;

use common::kernel::KernelSource;
use common::kernel_source;
use common::limit::Provenance;
use serde::{Deserialize, Serialize};

/// What is measured at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Instructions per clock of a scheduler.
    Issue,
    /// Clocks from an instruction to the one that needs its result.
    Answer,
    /// Bytes per second read from memory.
    Read,
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// An addition in single precision.
    Add,
    /// The special-function unit: 1/√.
    Special,
    /// A shuffle in a warp.
    Shuffle,
    /// Shared memory.
    Shared,
    /// An array that fits the L1 cache.
    L1,
    /// An array that fits the L2 cache alone.
    L2,
    /// An array that fits no cache.
    Memory,
}

impl Unit {
    /// As tables name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "addition",
            Self::Special => "special function",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared memory",
            Self::L1 => "L1 cache",
            Self::L2 => "L2 cache",
            Self::Memory => "memory",
        }
    }
}

/// A point: a kernel in a launch.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// What is measured.
    pub quantity: Quantity,
    /// What answers.
    pub unit: Unit,
    /// Entry point.
    pub kernel: &'static str,
    /// Its file.
    pub source: KernelSource,
    /// Chains or loads of a thread that do not wait for each other.
    pub independent: u32,
    /// Warps that are resident on a multiprocessor.
    pub warps: u32,
}

/// A measured point. A field that cannot be had is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub quantity: Quantity,
    /// What answered.
    pub unit: Unit,
    /// The kernel.
    pub kernel: String,
    /// Chains or loads of a thread that do not wait for each other.
    pub independent: u32,
    /// Warps that are resident on a multiprocessor.
    pub warps: u32,
    /// In the quantity's unit; null on the emulator.
    pub value: Option<f64>,
    /// On what, by what and when; its fields stand among these.
    #[serde(flatten)]
    pub made: Provenance,
    /// Whether the results were right.
    pub verified: bool,
}

impl Measured {
    /// Bytes that a multiprocessor asks for at a time, of a [`Quantity::Read`].
    #[must_use]
    pub fn bytes_in_flight(&self) -> f64 {
        f64::from(self.warps * self.independent * BYTES_PER_REQUEST)
    }
}

/// Of a warp that reads 16 bytes per lane.
const BYTES_PER_REQUEST: u32 = 32 * 16;

/// Schedulers of a multiprocessor, each with warps of its own: since Maxwell, 2014.
pub const SCHEDULERS: u32 = 4;

/// Every point, in the order of the tables.
#[must_use]
pub fn points() -> Vec<Point> {
    let issue = |(independent, kernel), warps| Point {
        quantity: Quantity::Issue,
        unit: Unit::Add,
        kernel,
        source: kernel_source!("07_chains"),
        independent,
        warps: SCHEDULERS * warps,
    };
    let read = |(independent, kernel), warps| Point {
        quantity: Quantity::Read,
        unit: Unit::Memory,
        kernel,
        source: kernel_source!("09_flight"),
        independent,
        warps,
    };
    let chains = CHAINS.into_iter().flat_map(|chains| [1, 2, 4, 8, 16].map(|warps| issue(chains, warps)));
    let reads = READS.into_iter().flat_map(|loads| [4, 8, 16, 32, 64].map(|warps| read(loads, warps)));
    ANSWERS.into_iter().map(answer).chain(chains).chain(reads).collect()
}

const CHAINS: [(u32, &str); 4] = [(1, "addChains1"), (2, "addChains2"), (4, "addChains4"), (8, "addChains8")];
/// Eight loads of 16 bytes would not be sent together: the machine code waits for the first four.
const READS: [(u32, &str); 3] = [(1, "readFlight1"), (2, "readFlight2"), (4, "readFlight4")];
const ANSWERS: [(Unit, &str); 6] = [
    (Unit::Special, "chainRoot"),
    (Unit::Shuffle, "chainShuffle"),
    (Unit::Shared, "chaseShared"),
    (Unit::L1, "chaseGlobal"),
    (Unit::L2, "chaseGlobal"),
    (Unit::Memory, "chaseGlobal"),
];

fn answer((unit, kernel): (Unit, &'static str)) -> Point {
    let source = kernel_source!("08_answers");
    Point { quantity: Quantity::Answer, unit, kernel, source, independent: 1, warps: 1 }
}
