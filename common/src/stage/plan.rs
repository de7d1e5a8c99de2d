//! From options to launches: which kernels, at which size, in which shape. Everything is judged before anything runs.

use super::{Grid, Row, Shape, Stage};
use crate::Error;
use crate::device::Backend;
use crate::options::Options;
use crate::workload::Size;
use cudarc::driver::LaunchConfig;

/// One kernel at one size in one shape.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub row: &'a Row,
    /// How much.
    pub size: Size,
    /// Blocks.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
}

/// Index arithmetic of the kernels is 32-bit: grid · block + n must stay below this.
const INDEX_LIMIT: u64 = 1 << 31;

impl<'a> Plan<'a> {
    /// Checks a size and a shape against what the kernel takes; `shape.grid` is for kernels with a grid-stride loop.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the option and the accepted values.
    pub fn new(row: &'a Row, size: Size, shape: Shape) -> Result<Self, Error> {
        let (n, block, kernel) = (size.n, shape.block, row.kernel);
        let tutorial = row.work.tutorial();
        let accepted = tutorial.accepted_n();
        if !accepted.contains(&n) {
            let (low, high, unit) = (accepted.start(), accepted.end(), tutorial.unit());
            return usage(format!("--n {n}: {kernel} takes {low} to {high} {unit}{CHOOSE}"));
        }
        if !row.blocks.accept(block) {
            return usage(format!("--block {block}: {kernel} takes {}{CHOOSE}", row.blocks.describe()));
        }
        let grid = match row.grid {
            Grid::Covering(elements) => {
                let elements_per_block = u64::from(block) * u64::from(elements);
                u32::try_from((n as u64).div_ceil(elements_per_block)).unwrap_or(u32::MAX)
            }
            Grid::Stride(default) => shape.grid.unwrap_or(default),
        };
        if matches!(row.grid, Grid::Stride(_)) && u64::from(grid) * u64::from(block) + n as u64 >= INDEX_LIMIT {
            return usage(format!(
                "--grid {grid}: {grid} blocks of {block} threads and n = {n} together must stay below 2^31"
            ));
        }
        Ok(Self { row, size, grid, block })
    }

    /// The launch's shape for cudarc.
    #[must_use]
    pub fn config(&self) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (self.grid, 1, 1),
            block_dim: (self.block, 1, 1),
            shared_mem_bytes: self.block * self.row.shared_bytes_per_thread,
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
        match self.row.grid {
            Grid::Covering(elements) => Some(self.block as usize * elements as usize),
            Grid::Stride(_) => None,
        }
    }

    /// `4096 bodies, 1000 steps`.
    #[must_use]
    pub fn describe_size(&self) -> String {
        let Size { n, steps, .. } = self.size;
        let unit = self.row.work.tutorial().unit();
        match steps {
            Some(1) => format!("{n} {unit}, 1 step"),
            Some(steps) => format!("{n} {unit}, {steps} steps"),
            None => format!("{n} {unit}"),
        }
    }
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
    let is_chosen = |row: &Row| {
        options.kernel.is_empty() || options.kernel.iter().any(|name| name.eq_ignore_ascii_case(row.kernel))
    };
    let rows: Vec<&Row> = stage.rows.iter().copied().filter(|row| is_chosen(row)).collect();
    require_heeded(&rows, options)?;
    let mut plans = Vec::new();
    for row in rows {
        let tutorial = row.work.tutorial();
        let default_steps = tutorial.default_steps(backend);
        let size = Size {
            n: options.n_usize()?.unwrap_or_else(|| tutorial.default_n()),
            steps: default_steps.map(|default| options.steps.unwrap_or(default)),
            seed: options.seed,
        };
        let single = [Shape { grid: options.grid, block: options.block.unwrap_or(row.block) }];
        let shapes = if options.sweep && !row.sweep.is_empty() { row.sweep } else { &single };
        for &shape in shapes {
            plans.push(Plan::new(row, size, shape)?);
        }
    }
    Ok(plans)
}

/// An option without an effect would be taken for one with.
fn require_heeded(rows: &[&Row], options: &Options) -> Result<(), Error> {
    let has_stride = rows.iter().any(|row| matches!(row.grid, Grid::Stride(_)));
    let has_steps = rows.iter().any(|row| row.work.tutorial().default_steps(Backend::Cuda).is_some());
    let has_sweep = rows.iter().any(|row| !row.sweep.is_empty());
    match (options.grid, options.steps) {
        (Some(grid), _) if !has_stride => {
            usage(format!("--grid {grid}: no chosen kernel has a grid-stride loop; their grids follow from n"))
        }
        (_, Some(steps)) if !has_steps => usage(format!("--steps {steps}: no chosen kernel takes time steps")),
        _ if options.sweep && !has_sweep => usage("--sweep: no chosen kernel has launch shapes to try".into()),
        _ => Ok(()),
    }
}
