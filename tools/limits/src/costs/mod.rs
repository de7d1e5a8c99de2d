//! The costs of single actions, by their circumstances: `cargo run -p limits -- --costs`.
//!
//! A block that starts, a constant that its caches do not hold, an addition to an address that other threads add to, a
//! load or a store of a part of a sector, an instruction that its caches do not hold. [`points`] lists the measurements;
//! `cargo x record` stores them in `results/DEVICE/costs.json`.

mod code;
mod constants;
mod memory;
mod run;
mod starts;

pub use run::measure;

use common::ceilings::Provenance;
use common::kernel::KernelSource;
use common::kernel_source;
use common::timing::Timing;
use serde::{Deserialize, Serialize};

/// The measured action, and its circumstances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cost", rename_all = "kebab-case")]
pub enum Cost {
    /// Starts of blocks.
    Start {
        /// The work of a block.
        body: Body,
        /// Threads of a block.
        threads: u32,
    },
    /// Loads of 4 bytes of constant memory by one warp, each from the place that the load before it returned.
    ConstantChain {
        /// Bytes that the loads cover.
        bytes: u32,
        /// Different words that the lanes of the warp read at a time.
        words: u32,
    },
    /// Reads of constant memory that are the same for all lanes, and do not wait for each other.
    ConstantStream {
        /// Bytes that are read again and again.
        bytes: u32,
        /// Resident warps per multiprocessor.
        warps: u32,
    },
    /// Atomic additions of a warp.
    Atomic {
        /// Different addresses in a warp.
        addresses: u32,
        /// Whether all warps of the grid, or of the block in shared memory, add to the same addresses.
        is_common: bool,
    },
    /// Stores of 4 bytes per lane.
    Store {
        /// Distance between the elements of neighboring lanes, in elements.
        stride: u32,
        /// Size of the array in bytes.
        bytes: u64,
    },
    /// Loads of 4 bytes per lane.
    Load {
        /// Distance between the elements of neighboring lanes, in elements.
        stride: u32,
        /// Size of the array in bytes.
        bytes: u64,
    },
    /// Stores of 4 bytes per lane, each in a sector that is not stored otherwise.
    SparseStore {
        /// Distance between the elements of neighboring lanes, in elements.
        stride: u32,
    },
    /// Memory that is read and written at the same time.
    Copy {
        /// Arrays that are read for one that is written.
        reads: u32,
    },
    /// Atomic additions to cells that a hash chooses, or of one lane of each warp to one cell.
    Scatter {
        /// The number of cells.
        cells: u32,
    },
    /// Reads that only the L2 cache can answer.
    L2 {
        /// Bytes that are read again and again.
        bytes: u64,
        /// Multiprocessors that read the same at about the same time.
        sharing: u32,
    },
    /// Bulk copies to shared memory, four at a time on each multiprocessor.
    BulkCopy {
        /// Bytes of a copy.
        chunk: u32,
        /// Multiprocessors that copy the same.
        sharing: u32,
        /// Bytes that are read again and again.
        bytes: u64,
    },
    /// Additions in a row, without a branch.
    Code {
        /// Instructions of the loop's body, of 16 bytes each on recent GPUs.
        instructions: u32,
        /// Resident warps per multiprocessor.
        warps: u32,
        /// Whether the body is executed once in place of many times.
        is_once: bool,
    },
}

/// The work of a block before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// Nothing.
    Empty,
    /// Each thread reads one integer.
    Reading,
    /// The threads add their integers in shared memory, in a tree.
    Tree,
    /// Each thread stores one integer.
    Storing,
    /// Each thread copies one integer.
    Copying,
}

impl Cost {
    /// Returns what [`Measured::amount`] counts.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Start { .. } => "blocks",
            Self::ConstantChain { .. } => "loads of a warp",
            Self::Atomic { .. } | Self::Scatter { .. } | Self::Code { .. } => "warp instructions",
            Self::ConstantStream { .. }
            | Self::Store { .. }
            | Self::Load { .. }
            | Self::SparseStore { .. }
            | Self::Copy { .. }
            | Self::BulkCopy { .. }
            | Self::L2 { .. } => "bytes",
        }
    }

    /// Returns the name used in tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "block start",
            Self::ConstantChain { .. } => "constants in a chain",
            Self::ConstantStream { .. } => "constants in a row",
            Self::Atomic { .. } => "atomic addition",
            Self::Store { .. } => "strided store",
            Self::Load { .. } => "strided load",
            Self::SparseStore { .. } => "sparse store",
            Self::Copy { .. } => "copy",
            Self::Scatter { .. } => "scattered addition",
            Self::L2 { .. } => "L2 cache",
            Self::BulkCopy { .. } => "bulk copy",
            Self::Code { .. } => "straight-line code",
        }
    }

    /// Describes the circumstances: `32 threads`.
    #[must_use]
    pub fn circumstances(&self) -> String {
        match self {
            Self::Start { threads, .. } => format!("{threads} threads"),
            Self::ConstantChain { bytes, words } => format!("{bytes} bytes, {words} words in a warp"),
            Self::ConstantStream { bytes, warps } => format!("{bytes} bytes, {warps} warps"),
            Self::Atomic { addresses, is_common: false } => format!("{addresses} in a warp, own"),
            Self::Atomic { addresses, is_common: true } => format!("{addresses} in a warp, the same in all"),
            Self::Store { stride, bytes } | Self::Load { stride, bytes } => {
                format!("stride {stride}, {} MB", bytes / 1_000_000)
            }
            Self::SparseStore { stride } => format!("stride {stride}"),
            Self::Copy { reads } => format!("{reads} arrays to one"),
            Self::Scatter { cells } => format!("{cells} cells"),
            Self::L2 { bytes, sharing: 1 } => format!("{} MB", bytes / 1_000_000),
            Self::L2 { bytes, sharing } => format!("{} MB, {sharing} alike", bytes / 1_000_000),
            Self::BulkCopy { chunk, sharing, bytes } => {
                format!("{chunk} bytes, {} MB, {sharing} alike", bytes / 1_000_000)
            }
            Self::Code { instructions, warps, is_once } => {
                format!("{instructions} instructions, {warps} warps{}", if *is_once { ", once" } else { "" })
            }
        }
    }
}

/// One measurement: a kernel and its circumstances.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The measured action.
    pub cost: Cost,
    /// The kernel's entry point.
    pub kernel: &'static str,
    /// The kernel's file; `None` if its PTX is generated.
    pub source: Option<KernelSource>,
}

impl Point {
    const fn new(cost: Cost, kernel: &'static str, source: KernelSource) -> Self {
        Self { cost, kernel, source: Some(source) }
    }
}

/// A measured point. Fields without a value are null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The measured action; flattened into the same JSON object.
    #[serde(flatten)]
    pub cost: Cost,
    /// The kernel.
    pub kernel: String,
    /// The work of one timed run, in `unit`.
    pub amount: f64,
    /// `blocks`, `loads of a warp`, `warp instructions` or `bytes`.
    pub unit: String,
    /// Time of a run in milliseconds; null on the emulator.
    pub time_ms: Option<Timing>,
    /// `unit` per second, at the median time.
    pub rate: Option<f64>,
    /// Clock reported by the driver, in Hz.
    pub nominal_clock_hz: Option<f64>,
    /// Number of multiprocessors.
    pub multiprocessors: Option<u32>,
    /// Device, driver, kernel version and date; flattened into the same JSON object.
    #[serde(flatten)]
    pub made: Provenance,
    /// Whether the kernel's results were correct.
    pub verified: bool,
}

/// Returns all measurements, in the order of the table.
#[must_use]
pub fn points() -> Vec<Point> {
    let all = [
        starts(),
        constant_chains(),
        constant_streams(),
        atomics(),
        stores(),
        loads(),
        copies(),
        scatters(),
        reads(),
        bulk_copies(),
        code(),
    ];
    all.into_iter().flatten().collect()
}

fn starts() -> Vec<Point> {
    let bodies = [(Body::Empty, "startEmpty"), (Body::Reading, "startReading"), (Body::Tree, "startTree")];
    let sizes = |(body, kernel)| {
        [32, 64, 128, 256, 512, 1024]
            .map(|threads| Point::new(Cost::Start { body, threads }, kernel, kernel_source!("11_starts")))
    };
    let ends = [(Body::Storing, "endStoring"), (Body::Copying, "endCopying")];
    let ends = ends.into_iter().flat_map(|(body, kernel)| {
        [64, 128, 256, 512, 1024]
            .map(|threads| Point::new(Cost::Start { body, threads }, kernel, kernel_source!("19_ends")))
    });
    bodies.into_iter().flat_map(sizes).chain(ends).collect()
}

const CONSTANTS: KernelSource = kernel_source!("12_constants");

fn constant_chains() -> Vec<Point> {
    let point = |(bytes, words)| Point::new(Cost::ConstantChain { bytes, words }, "chaseConstant", CONSTANTS);
    let by_size = [1, 2, 4, 8, 16, 32, 64].map(|kibibytes| (kibibytes << 10, 1));
    let by_words = [2, 4, 8, 16, 32].into_iter().flat_map(|words| [(1 << 10, words), (64 << 10, words)]);
    by_size.into_iter().chain(by_words).map(point).collect()
}

fn constant_streams() -> Vec<Point> {
    let point = |bytes, warps| Point::new(Cost::ConstantStream { bytes, warps }, "streamConstant", CONSTANTS);
    let sizes = [128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 16 << 10, 64 << 10];
    sizes.into_iter().flat_map(|bytes| [4, 16, 64].map(|warps| point(bytes, warps))).collect()
}

fn atomics() -> Vec<Point> {
    let mut points = Vec::new();
    for kernel in ["addGlobalFloats", "addGlobalIntegers", "addSharedFloats", "addSharedIntegers"] {
        for addresses in [1, 2, 4, 8, 16, 32] {
            let costs = [true, false].map(|is_common| Cost::Atomic { addresses, is_common });
            points.extend(costs.map(|cost| Point::new(cost, kernel, kernel_source!("13_atomics"))));
        }
    }
    points
}

/// The arrays of the stores and loads in bytes: one that an L2 cache holds, and one that it does not.
const STORED_BYTES: [u64; 2] = [1 << 24, 1 << 28];

fn stores() -> Vec<Point> {
    let point = |stride, bytes| Point::new(Cost::Store { stride, bytes }, "storeStrided", kernel_source!("14_stores"));
    let strides = [1, 2, 4, 8, 16, 32, 1024, 4096];
    STORED_BYTES.into_iter().flat_map(|bytes| strides.map(|stride| point(stride, bytes))).collect()
}

/// Strides of less than a sector, of one, of two, of a line and a word more, and of many lines.
fn loads() -> Vec<Point> {
    let point = |stride, bytes| Point::new(Cost::Load { stride, bytes }, "loadStrided", kernel_source!("18_strides"));
    let strides = [1, 2, 4, 8, 16, 24, 32, 33, 64, 128, 1024, 4096];
    STORED_BYTES.into_iter().flat_map(|bytes| strides.map(|stride| point(stride, bytes))).collect()
}

fn copies() -> Vec<Point> {
    let copy = |reads| Point::new(Cost::Copy { reads }, "copyMemory", kernel_source!("20_copies"));
    let sparse = |stride| Point::new(Cost::SparseStore { stride }, "storeSparse", kernel_source!("18_strides"));
    [0, 1, 2, 3].map(copy).into_iter().chain([8, 16, 32, 64, 128].map(sparse)).collect()
}

fn scatters() -> Vec<Point> {
    let point = |kernel, cells| Point::new(Cost::Scatter { cells }, kernel, kernel_source!("21_scatter"));
    let leaders = ["leadIntegers", "leadFloats"].map(|kernel| point(kernel, 1));
    let global = [32, 256, 4096, 1 << 16, 1 << 22].map(|cells| point("scatterGlobal", cells));
    let shared = [32, 256, 4096].map(|cells| point("scatterShared", cells));
    global.into_iter().chain(shared).chain(leaders).collect()
}

fn reads() -> Vec<Point> {
    let megabytes = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 96];
    let alone = megabytes.map(|megabytes: u64| Cost::L2 { bytes: megabytes * 1_000_000, sharing: 1 });
    let alike = [2, 4, 12, 33, 132].map(|sharing| Cost::L2 { bytes: 16_000_000, sharing });
    let costs = alone.into_iter().chain(alike);
    costs.map(|cost| Point::new(cost, "readCache", kernel_source!("15_cache"))).collect()
}

fn bulk_copies() -> Vec<Point> {
    let point = |chunk, sharing, bytes| {
        Point::new(Cost::BulkCopy { chunk, sharing, bytes }, "copyBulk", kernel_source!("23_bulk"))
    };
    let sizes = [1 << 10, 4 << 10, 16 << 10, 32 << 10];
    let alone = STORED_BYTES.into_iter().flat_map(|bytes| sizes.map(|chunk| point(chunk, 1, bytes)));
    let alike =
        STORED_BYTES.into_iter().flat_map(|bytes| [2, 4, 12, 33, 132].map(|sharing| point(16 << 10, sharing, bytes)));
    alone.chain(alike).collect()
}

fn code() -> Vec<Point> {
    let point = |instructions, warps, is_once| Point {
        cost: Cost::Code { instructions, warps, is_once },
        kernel: code::ENTRY,
        source: None,
    };
    let shapes = [(4, false), (16, false), (4, true), (16, true)];
    let of_a_size = |instructions| shapes.map(|(warps, is_once)| point(instructions, warps, is_once));
    [512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384].into_iter().flat_map(of_a_size).collect()
}
