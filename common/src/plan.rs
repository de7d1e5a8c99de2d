//! From options to launches: which kernels, at which size, in which shape. Everything is judged before anything runs.

mod languages;

pub use languages::COMPARED_N;

use crate::device::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::problem::{Facts, Size};
use crate::stage::{Grid, Rung, Shape, Stage};
use cudarc::driver::LaunchConfig;
use std::path::Path;

/// One kernel at one size in one shape.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub rung: &'a Rung,
    /// How much.
    pub size: Size,
    /// Blocks, along all dimensions.
    pub grid: u32,
    /// Threads per block, along all dimensions.
    pub block: u32,
    /// Whether it is the kernel's twin in Rust that runs.
    pub in_rust: bool,
}

/// Index arithmetic of the kernels is 32-bit: grid · block + n must stay below this.
const INDEX_LIMIT: u64 = 1 << 31;

impl<'a> Plan<'a> {
    /// Checks a size and a shape against what the kernel takes; `shape.grid` is for kernels with a grid-stride loop.
    /// Of the problem's own options, those that the size lacks are at their defaults.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the option and the accepted values.
    pub fn new(rung: &'a Rung, mut size: Size, shape: Shape) -> Result<Self, Error> {
        let (n, block, kernel, facts) = (size.n, shape.block, rung.kernel, rung.work.facts());
        if !facts.accepted.contains(&n) {
            let (low, high, unit) = (facts.accepted.start(), facts.accepted.end(), facts.units());
            return usage(format!("--n {n}: {kernel} takes {low} to {high} {unit}{CHOOSE}"));
        }
        if !rung.blocks.accept(block) {
            return usage(format!("--block {block}: {kernel} takes {}{CHOOSE}", rung.blocks.describe()));
        }
        size.parameters = facts.complete(&size.parameters, false);
        let grid = match rung.grid {
            Grid::Covering(elements) => {
                let elements_per_block = u64::from(block) * u64::from(elements);
                u32::try_from((n as u64).div_ceil(elements_per_block)).unwrap_or(u32::MAX)
            }
            Grid::Tiles { across, points } => tiles((facts.extents)(&size), across, points, block).iter().product(),
            Grid::Stride(default) => shape.grid.unwrap_or(default),
            Grid::Computed(blocks) => blocks(&size, block).iter().product(),
        };
        if matches!(rung.grid, Grid::Stride(_)) && u64::from(grid) * u64::from(block) + n as u64 >= INDEX_LIMIT {
            return usage(format!(
                "--grid {grid}: {grid} blocks of {block} threads and n = {n} together must stay below 2^31"
            ));
        }
        Ok(Self { rung, size, grid, block, in_rust: false })
    }

    /// What is to be known of the kernel's problem.
    #[must_use]
    pub fn facts(&self) -> &'static Facts {
        self.rung.work.facts()
    }

    /// The launch's shape for cudarc.
    #[must_use]
    pub fn config(&self) -> LaunchConfig {
        let ([grid_x, grid_y, grid_z], across) = match self.rung.grid {
            Grid::Tiles { across, points } => {
                let [x, y] = tiles((self.facts().extents)(&self.size), across, points, self.block);
                ([x, y, 1], across)
            }
            Grid::Computed(blocks) => (blocks(&self.size, self.block), self.block),
            Grid::Covering(_) | Grid::Stride(_) => ([self.grid, 1, 1], self.block),
        };
        LaunchConfig {
            grid_dim: (grid_x, grid_y, grid_z),
            block_dim: (across, self.block / across, 1),
            shared_mem_bytes: self.block * self.rung.shared_bytes_per_thread,
        }
    }

    /// The shape of the companion's launch: one thread a body, in blocks of the same size.
    #[must_use]
    pub fn companion_config(&self) -> LaunchConfig {
        let blocks = u32::try_from(self.size.n.div_ceil(self.block as usize)).unwrap_or(u32::MAX);
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (self.block, 1, 1), shared_mem_bytes: 0 }
    }

    /// Elements that a block covers, where the grid follows from n.
    #[must_use]
    pub fn elements_per_block(&self) -> Option<usize> {
        match self.rung.grid {
            Grid::Covering(elements) => Some(self.block as usize * elements as usize),
            Grid::Tiles { .. } | Grid::Stride(_) | Grid::Computed(_) => None,
        }
    }

    /// `4096 bodies, 1000 steps`, or `10000 atoms, 512 x 512 points`.
    #[must_use]
    pub fn describe_size(&self) -> String {
        self.facts().describe_size(&self.size)
    }
}

/// Blocks along x and y that cover a plane.
fn tiles([width, height]: [u32; 2], across: u32, points: u32, block: u32) -> [u32; 2] {
    [width.div_ceil(across * points), height.div_ceil(block / across)]
}

const CHOOSE: &str = " (--kernel NAME runs that kernel alone)";

fn usage<T>(text: String) -> Result<T, Error> {
    Err(Error::Usage(text))
}

/// What the options ask of a stage, in the order of its table.
///
/// # Errors
/// [`Error::Usage`], for the first kernel that cannot run so, and for an option that no chosen kernel heeds.
pub fn plan<'a>(stage: &'a Stage, options: &Options, backend: Backend) -> Result<Vec<Plan<'a>>, Error> {
    let is_chosen = |rung: &Rung| {
        options.kernel.is_empty() || options.kernel.iter().any(|name| name.eq_ignore_ascii_case(rung.kernel))
    };
    let rungs: Vec<&Rung> = stage.rungs.iter().copied().filter(|rung| is_chosen(rung)).collect();
    require_heeded(&rungs, options)?;
    require_writable(&rungs, options)?;
    let mut plans = Vec::new();
    for rung in rungs {
        let facts = rung.work.facts();
        let size = Size {
            n: options.n_usize()?.unwrap_or_else(|| rung.work.default_n(backend)),
            steps: facts.default_steps(backend).map(|default| options.steps.unwrap_or(default)),
            seed: options.seed,
            parameters: facts.heeded(&options.parameters),
        };
        let single = [Shape { grid: options.grid, block: options.block.unwrap_or(rung.block) }];
        let shapes = if options.sweep && !rung.sweep.is_empty() { rung.sweep } else { &single };
        for &shape in shapes {
            plans.push(Plan::new(rung, size.clone(), shape)?);
        }
    }
    languages::chosen(plans, options.language)
}

/// An option without an effect would be taken for one with.
fn require_heeded(rungs: &[&Rung], options: &Options) -> Result<(), Error> {
    let has_stride = rungs.iter().any(|rung| matches!(rung.grid, Grid::Stride(_)));
    let has_steps = rungs.iter().any(|rung| rung.work.facts().steps.is_some());
    let has_sweep = rungs.iter().any(|rung| !rung.sweep.is_empty());
    let is_heeded = |name: &str| rungs.iter().any(|rung| rung.work.facts().has_parameter(name));
    if let Some((name, value)) = options.parameters.iter().find(|(name, _)| !is_heeded(name)) {
        return usage(format!("--{name} {value}: no chosen kernel takes this option"));
    }
    match (options.grid, options.steps) {
        (Some(grid), _) if !has_stride => {
            usage(format!("--grid {grid}: no chosen kernel has a grid-stride loop; their grids follow from n"))
        }
        (_, Some(steps)) if !has_steps => usage(format!("--steps {steps}: no chosen kernel takes time steps")),
        _ if options.sweep && !has_sweep => usage("--sweep: no chosen kernel has launch shapes to try".into()),
        _ => Ok(()),
    }
}

/// Refuses files that no chosen kernel writes, and those that cannot be written.
fn require_writable(rungs: &[&Rung], options: &Options) -> Result<(), Error> {
    let is_written = |name: &str| rungs.iter().any(|rung| rung.work.facts().has_file(name));
    for (file, path) in &options.files {
        let refuse = |reason: &str| usage(format!("--{} {}: {reason}", file.name, path.display()));
        if !is_written(file.name) {
            return refuse(file.refusal);
        }
        if let Some((extension, reason)) = file.extension
            && !path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
        {
            return refuse(reason);
        }
        if let Some(reason) = unwritable(path) {
            return refuse(&reason);
        }
    }
    Ok(())
}

/// A file goes into a folder that is there, and does not take the place of one.
fn unwritable(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Some(format!("there is no folder {}", folder.display()));
    }
    path.is_dir().then(|| "this is a folder; name a file".into())
}

#[cfg(test)]
mod tests;
