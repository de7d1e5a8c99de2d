//! The table of a stage: its rungs. A rung is a kernel with its launch; a plan is a rung at one size in one shape.

mod plan;

use crate::columns::Column;
use crate::error::{Error, usage};
use crate::kernel::{self, KernelSource};
use crate::problem::{Facts, Problem, Size};
use cudarc::driver::LaunchConfig;
use std::path::Path;

pub use crate::shape::{Blocks, Entry, Grid, Shape};

/// A stage of the course.
#[derive(Debug)]
pub struct Stage {
    /// The name of its crate and program.
    pub name: &'static str,
    /// Its subject, in one line.
    pub title: &'static str,
    /// Its rungs in order. Rungs of earlier stages may be among them, for comparison.
    pub rungs: &'static [&'static Rung],
    /// The counts that show the lesson of the stage about the problem of a letter, most important first.
    pub counts: fn(&str) -> &'static [Column],
    /// The chapter and files that explain the stage.
    pub read_on: &'static str,
}

/// A kernel with its launch: a rung on the ladder of its problem's kernels.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The kernel's published name, which `--kernel` takes.
    pub kernel: &'static str,
    /// Its file.
    pub source: KernelSource,
    /// Its entry point.
    pub entry: Entry,
    /// A second kernel that each step needs.
    pub companion: Option<(KernelSource, &'static str)>,
    /// Its grid, and threads and bytes of shared memory per block; `None` for a thread per body in blocks of the kernel's size.
    pub companion_shape: Option<(Grid, u32, u32)>,
    /// The problem, with the launch functions.
    pub work: &'static dyn Problem,
    /// The number of blocks.
    pub grid: Grid,
    /// The default number of threads per block.
    pub block: u32,
    /// The accepted numbers of threads per block.
    pub blocks: Blocks,
    /// Dynamic shared memory, in bytes per thread of the block.
    pub shared_bytes_per_thread: u32,
    /// The launch shapes of `--sweep`.
    pub sweep: &'static [Shape],
    /// The tutorial's published time, with its hardware.
    pub published: Option<&'static str>,
    /// The rung below: the kernel that this one improves on. A stage that also lists that one reports the gain.
    pub below: Option<&'static Rung>,
}

impl Rung {
    /// Returns a kernel whose entry point has its name, with one thread per element in blocks of 128. Set what differs:
    ///
    /// ```text
    /// Rung { block: 256, ..Rung::new("name", kernel_source!("01_name"), &Problem { launch: launch::name }) }
    /// ```
    #[must_use]
    pub const fn new(kernel: &'static str, source: KernelSource, work: &'static dyn Problem) -> Self {
        Self {
            kernel,
            source,
            entry: Entry::Single(kernel),
            companion: None,
            companion_shape: None,
            work,
            grid: Grid::Covering(1),
            block: 128,
            blocks: Blocks::Any,
            shared_bytes_per_thread: 0,
            sweep: &[],
            published: None,
            below: None,
        }
    }

    /// Returns the rung of another kernel with the same launch, whose entry points have its name. It has no published time.
    /// Set what differs.
    #[must_use]
    pub const fn with_kernel(&self, kernel: &'static str, source: KernelSource) -> Self {
        let entry = match self.entry {
            Entry::Single(_) => Entry::Single(kernel),
            Entry::PerBlock(_) => Entry::PerBlock(kernel),
            Entry::PerOption { option, values, .. } => Entry::PerOption { prefix: kernel, option, values },
        };
        Self { kernel, source, entry, published: None, ..*self }
    }

    /// Returns [`Rung::with_kernel`] for a kernel that improves on this one.
    #[must_use]
    pub const fn next(&'static self, kernel: &'static str, source: KernelSource) -> Self {
        Self { below: Some(self), ..self.with_kernel(kernel, source) }
    }

    /// Returns the version of the kernel and its companion in this program; see [`kernel::version`].
    #[must_use]
    pub fn version(&self, in_rust: bool) -> String {
        let companion = self.companion.as_ref().map(|(source, _)| source.written(in_rust));
        kernel::version([self.source.written(in_rust)].into_iter().chain(companion))
    }

    /// Returns the oldest compute capability that the rung runs on.
    #[must_use]
    pub fn compute_capability(&self) -> (i32, i32) {
        let companion = self.companion.map(|(source, _)| source.compute_capability());
        companion.into_iter().fold(self.source.compute_capability(), Ord::max)
    }

    /// Returns the name of the stage that has the kernel's file.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        Path::new(self.source.crate_folder).file_name().and_then(|folder| folder.to_str()).unwrap_or_default()
    }
}

impl Stage {
    /// Returns whether a rung is of an earlier stage, listed for comparison.
    #[must_use]
    pub fn is_baseline(&self, rung: &Rung) -> bool {
        rung.stage() != self.name
    }
}

/// One kernel at one size in one shape.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub rung: &'a Rung,
    /// The size.
    pub size: Size,
    /// Blocks, along all dimensions.
    pub grid: u32,
    /// Threads per block, along all dimensions.
    pub block: u32,
    /// Whether the kernel's Rust version runs.
    pub in_rust: bool,
    /// The parts of the run that the emulator may leave out; `None` to run all blocks and all steps.
    pub sampling: Option<Sampling>,
}

/// The parts of a run that the emulator leaves out to save time: of a launch whose blocks do not depend on each other, most blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The size at which a kernel runs whose blocks depend on each other.
    pub n: usize,
    /// The number of time steps that run; `None` for all.
    pub steps: Option<u32>,
}

/// The kernels compute indices in 32 bits: grid · block + n must stay below this.
const INDEX_LIMIT: u64 = 1 << 31;

const CHOOSE: &str = " (--kernel NAME runs that kernel alone)";

impl<'a> Plan<'a> {
    /// Returns a plan if the kernel accepts the size and the shape; `shape.grid` is for kernels with a grid-stride loop.
    /// The problem's own options default to their defaults.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the option and the accepted values.
    pub fn new(rung: &'a Rung, mut size: Size, shape: Shape) -> Result<Self, Error> {
        let n = size.n;
        let block = shape.block;
        let kernel = rung.kernel;
        let facts = rung.work.facts();
        if !facts.accepted.contains(&n) {
            let low = facts.accepted.start();
            let high = facts.accepted.end();
            let unit = facts.units();
            return usage(format!("--n {n}: {kernel} takes {low} to {high} {unit}{CHOOSE}"));
        }
        if !rung.blocks.accept(block) {
            return usage(format!("--block {block}: {kernel} takes {}{CHOOSE}", rung.blocks.describe()));
        }
        size.parameters = facts.complete(&size.parameters, false);
        let grid = rung.grid.blocks(&size, (facts.extents)(&size), block, shape.grid).iter().product();
        if matches!(rung.grid, Grid::Stride(_)) && u64::from(grid) * u64::from(block) + n as u64 >= INDEX_LIMIT {
            return usage(format!(
                "--grid {grid}: {grid} blocks of {block} threads and n = {n} together must stay below 2^31"
            ));
        }
        Ok(Self { rung, size, grid, block, in_rust: false, sampling: None })
    }

    /// Returns the facts of the kernel's problem.
    #[must_use]
    pub fn facts(&self) -> &'static Facts {
        self.rung.work.facts()
    }

    /// Returns the launch shape for cudarc.
    #[must_use]
    pub fn config(&self) -> LaunchConfig {
        let [x, y, z] = match self.rung.grid {
            // A test may plan more blocks than cover n.
            Grid::Covering(_) | Grid::Stride(_) => [self.grid, 1, 1],
            computed => computed.blocks(&self.size, (self.facts().extents)(&self.size), self.block, None),
        };
        let across = if let Grid::Tiles { across, .. } = self.rung.grid { across } else { self.block };
        let shared_mem_bytes = self.block * self.rung.shared_bytes_per_thread;
        LaunchConfig { grid_dim: (x, y, z), block_dim: (across, self.block / across, 1), shared_mem_bytes }
    }

    /// Returns the kernel's file.
    #[must_use]
    pub fn source(&self) -> &'a KernelSource {
        self.rung.source.written(self.in_rust)
    }

    /// Returns the kernel's name, with its language unless it is CUDA C++.
    #[must_use]
    pub fn name(&self) -> String {
        if self.in_rust { format!("{} in Rust", self.rung.kernel) } else { self.rung.kernel.into() }
    }

    /// Returns `4096 bodies, 1000 steps`, or `10000 atoms, 512 x 512 points`.
    #[must_use]
    pub fn describe_size(&self) -> String {
        self.facts().describe_size(&self.size)
    }
}
