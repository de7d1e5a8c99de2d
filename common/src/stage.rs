//! What a stage is: a table of rungs. A rung is a kernel with its launch.

use crate::kernel::{self, KernelSource};
use crate::problem::{Size, Work};
use std::path::Path;

/// A stage of the course.
#[derive(Debug)]
pub struct Stage {
    /// Name of the crate and of its program.
    pub name: &'static str,
    /// What it is about, in one line.
    pub title: &'static str,
    /// The rungs that it runs, in order. Rungs of earlier stages may be among them, for comparison.
    pub rungs: &'static [&'static Rung],
    /// What the table shows, in two lines.
    pub lesson: [&'static str; 2],
    /// Where to read on.
    pub read_on: &'static str,
}

/// A kernel with its launch: a rung of the ladder that a problem's kernels are.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The kernel's published name, by which `--kernel` chooses it.
    pub kernel: &'static str,
    /// Its file.
    pub source: KernelSource,
    /// Its entry point.
    pub entry: Entry,
    /// A second kernel that each step needs, one thread a body.
    pub companion: Option<(KernelSource, &'static str)>,
    /// The problem, with the functions that launch.
    pub work: &'static dyn Work,
    /// How many blocks.
    pub grid: Grid,
    /// Threads per block where `--block` does not say.
    pub block: u32,
    /// Block sizes that it takes.
    pub blocks: Blocks,
    /// Dynamic shared memory, in bytes for each thread of the block.
    pub shared_bytes_per_thread: u32,
    /// Launch shapes of `--sweep`.
    pub sweep: &'static [Shape],
    /// What the tutorial published, with its hardware.
    pub published: Option<&'static str>,
    /// The rung below: the kernel that this one improves on. A stage that lists it before this one says what the step
    /// bought.
    pub below: Option<&'static Rung>,
}

impl Rung {
    /// Which version of the kernel and its companion this program holds; see [`kernel::version`].
    #[must_use]
    pub fn version(&self, in_rust: bool) -> String {
        let companion = self.companion.as_ref().map(|(source, _)| source.written(in_rust));
        kernel::version([self.source.written(in_rust)].into_iter().chain(companion))
    }

    /// The oldest compute capability that the rung runs on.
    #[must_use]
    pub fn compute_capability(&self) -> (i32, i32) {
        let companion = self.companion.map(|(source, _)| source.compute_capability());
        companion.into_iter().fold(self.source.compute_capability(), Ord::max)
    }
}

impl Stage {
    /// Whether a rung is of an earlier stage, listed for comparison: its file lies in another crate.
    #[must_use]
    pub fn is_baseline(&self, rung: &Rung) -> bool {
        Path::new(rung.source.crate_folder).file_name().is_none_or(|folder| folder != self.name)
    }
}

/// Names of entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One for every block size.
    Single(&'static str),
    /// One per block size, which is a constant of the code: `prefix_128`.
    PerBlock(&'static str),
}

impl Entry {
    /// The entry point for a block size.
    #[must_use]
    pub fn name(&self, block: u32) -> String {
        match self {
            Self::Single(name) => (*name).into(),
            Self::PerBlock(prefix) => format!("{prefix}_{block}"),
        }
    }
}

/// How many blocks a launch has.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// As many as cover n elements, each thread taking this many.
    Covering(u32),
    /// As many as cover a plane of points, in two dimensions: blocks are `across` threads wide, which divides every
    /// accepted block size, and each thread takes `points` of a row.
    Tiles {
        /// Threads of a block along x.
        across: u32,
        /// Points of a row that a thread takes.
        points: u32,
    },
    /// This many where `--grid` does not say: the kernel has a grid-stride loop.
    Stride(u32),
    /// Along x, y and z, as the stage computes from the size and the threads of a block: slices of the work, pairs of
    /// tiles. Blocks have one dimension.
    Computed(fn(&Size, u32) -> [u32; 3]),
}

/// Which block sizes a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// 1 to 1024.
    Any,
    /// Powers of two from 32 to 1024.
    PowersOfTwo,
    /// Multiples of this, up to 1024.
    MultiplesOf(u32),
    /// These.
    OneOf(&'static [u32]),
}

impl Blocks {
    /// Whether a block size is among them.
    #[must_use]
    pub fn accept(&self, block: u32) -> bool {
        match self {
            Self::Any => (1..=1024).contains(&block),
            Self::PowersOfTwo => block.is_power_of_two() && (32..=1024).contains(&block),
            Self::MultiplesOf(unit) => (1..=1024).contains(&block) && block.is_multiple_of(*unit),
            Self::OneOf(sizes) => sizes.contains(&block),
        }
    }

    /// What they are, as an error says it.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Any => "1 to 1024 threads per block".into(),
            Self::PowersOfTwo => "a power of two from 32 to 1024 as threads per block".into(),
            Self::MultiplesOf(unit) => format!("a multiple of {unit} up to 1024 as threads per block"),
            Self::OneOf(sizes) => format!("one of {sizes:?} as threads per block"),
        }
    }
}

/// A launch shape of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks; `None` where they follow from n.
    pub grid: Option<u32>,
    /// Threads per block.
    pub block: u32,
}

impl Shape {
    /// A block size; the grid follows from n.
    #[must_use]
    pub const fn block(block: u32) -> Self {
        Self { grid: None, block }
    }

    /// A grid and a block size.
    #[must_use]
    pub const fn grid(grid: u32, block: u32) -> Self {
        Self { grid: Some(grid), block }
    }
}
