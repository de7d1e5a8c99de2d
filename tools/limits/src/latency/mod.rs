//! The latency of the units and what hides it: `cargo run -p limits -- --latency`.
//!
//! A scheduler with a single warp and a single chain of instructions waits for each result; more warps and more chains fill
//! the wait. Memory takes as long for a few bytes in flight as for many. [`points`] lists the measurements.

mod run;

pub use run::measure;

use common::ceilings::Provenance;
use common::kernel::KernelSource;
use common::kernel_source;
use serde::{Deserialize, Serialize};

/// A quantity that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Instructions per clock of a scheduler.
    Issue,
    /// Clocks from an instruction to the next one, which needs its result.
    Answer,
    /// Bytes per second read from memory.
    Read,
}

/// A unit whose latency is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// An addition in single precision.
    Add,
    /// A reciprocal square root of the special-function unit.
    Special,
    /// A shuffle.
    Shuffle,
    /// Shared memory.
    Shared,
    /// An array that fits the L1 cache.
    L1,
    /// An array that fits only the L2 cache.
    L2,
    /// An array that fits no cache.
    Memory,
    /// A multiply-add in double precision.
    Double,
    /// Two multiply-adds in half precision.
    Half,
    /// A product of matrices in TF32.
    Tensor,
    /// A product of matrices in bf16.
    TensorBf16,
    /// A load of four matrices from shared memory.
    Matrix,
    /// An arrival at a barrier in shared memory, and the wait for it.
    Arrival,
    /// A bulk copy of a line from the L2 cache to shared memory, and a load of it.
    BulkCopy,
    /// A product of a warpgroup, 64 x 16 and 16 x 64 numbers in shared memory.
    Warpgroup,
    /// The same with the left factor in registers.
    WarpgroupRegisters,
}

impl Unit {
    /// Returns whether the kernel itself checks the result of its chain.
    fn is_checked_by_kernel(self) -> bool {
        !matches!(self, Self::Shuffle | Self::Shared | Self::L1 | Self::L2 | Self::Memory | Self::BulkCopy)
    }

    /// Returns the name used in tables.
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
            Self::Double => "double precision",
            Self::Half => "half precision",
            Self::Tensor => "tensor cores, TF32",
            Self::TensorBf16 => "tensor cores, bf16",
            Self::Matrix => "load of matrices",
            Self::Arrival => "arrival at an mbarrier",
            Self::BulkCopy => "bulk copy",
            Self::Warpgroup => "product of a warpgroup",
            Self::WarpgroupRegisters => "product with registers",
        }
    }
}

/// One measurement: a kernel and its launch.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The quantity that is measured.
    pub quantity: Quantity,
    /// The unit.
    pub unit: Unit,
    /// The kernel's entry point.
    pub kernel: &'static str,
    /// The kernel's file.
    pub source: KernelSource,
    /// Chains or loads per thread that do not wait for each other.
    pub independent: u32,
    /// Resident warps per multiprocessor.
    pub warps: u32,
}

/// A measured point. Fields without a value are null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The quantity that was measured.
    pub quantity: Quantity,
    /// The unit.
    pub unit: Unit,
    /// The kernel.
    pub kernel: String,
    /// Chains or loads per thread that do not wait for each other.
    pub independent: u32,
    /// Resident warps per multiprocessor.
    pub warps: u32,
    /// The value, in the quantity's unit; null on the emulator.
    pub value: Option<f64>,
    /// Device, driver, kernel version and date; flattened into the same JSON object.
    #[serde(flatten)]
    pub made: Provenance,
    /// Whether the kernel's results were correct.
    pub verified: bool,
}

impl Measured {
    /// Returns the bytes that a multiprocessor has in flight in a measurement of [`Quantity::Read`].
    #[must_use]
    pub fn bytes_in_flight(&self) -> f64 {
        f64::from(self.warps * self.independent * BYTES_PER_REQUEST)
    }
}

/// Bytes of a request of a warp that reads 16 bytes per lane.
const BYTES_PER_REQUEST: u32 = 32 * 16;

/// Schedulers per multiprocessor since Maxwell (2014), each with its own warps.
pub const SCHEDULERS: u32 = 4;

/// Returns all measurements, in the order of the table.
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
    let answers = ANSWERS.map(|one| answer(one, kernel_source!("08_answers")));
    let pipes = PIPES.map(|one| answer(one, kernel_source!("17_pipes")));
    let products = PRODUCTS.map(|(unit, kernel, independent)| {
        let warps = if matches!(unit, Unit::Warpgroup | Unit::WarpgroupRegisters) { 4 } else { 1 };
        Point { independent, warps, ..answer((unit, kernel), kernel_source!("22_asynchronous")) }
    });
    answers.into_iter().chain(pipes).chain(products).chain(chains).chain(reads).collect()
}

const CHAINS: [(u32, &str); 4] = [(1, "addChains1"), (2, "addChains2"), (4, "addChains4"), (8, "addChains8")];
/// Not eight loads of 16 bytes: the machine code would wait for the first four before it issues the others.
const READS: [(u32, &str); 3] = [(1, "readFlight1"), (2, "readFlight2"), (4, "readFlight4")];
const ANSWERS: [(Unit, &str); 6] = [
    (Unit::Special, "chainRoot"),
    (Unit::Shuffle, "chainShuffle"),
    (Unit::Shared, "chaseShared"),
    (Unit::L1, "chaseGlobal"),
    (Unit::L2, "chaseGlobal"),
    (Unit::Memory, "chaseGlobal"),
];
/// The last number is that of products before a wait.
const PRODUCTS: [(Unit, &str, u32); 5] = [
    (Unit::Arrival, "chainArrival", 1),
    (Unit::BulkCopy, "chaseBulk", 1),
    (Unit::Warpgroup, "chainWarpgroup", 1),
    (Unit::Warpgroup, "chainWarpgroup8", 8),
    (Unit::WarpgroupRegisters, "chainWarpgroupRegisters8", 8),
];
const PIPES: [(Unit, &str); 5] = [
    (Unit::Double, "chainDouble"),
    (Unit::Half, "chainHalf"),
    (Unit::Tensor, "chainTensor"),
    (Unit::TensorBf16, "chainTensorBf16"),
    (Unit::Matrix, "chainMatrix"),
];

fn answer((unit, kernel): (Unit, &'static str), source: KernelSource) -> Point {
    Point { quantity: Quantity::Answer, unit, kernel, source, independent: 1, warps: 1 }
}
