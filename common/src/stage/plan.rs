//! From options to launches: which kernels, at which size, in which shape. Everything is judged before anything runs.

use super::{Grid, Row, Shape, Stage};
use crate::Error;
use crate::device::Backend;
use crate::options::Options;
use crate::workload::coulomb::Slice;
use crate::workload::{Size, Tutorial};
use cudarc::driver::LaunchConfig;

/// One kernel at one size in one shape.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub row: &'a Row,
    /// How much.
    pub size: Size,
    /// The points of tutorial E; `None` for the others.
    pub slice: Option<Slice>,
    /// Blocks, along all dimensions.
    pub grid: u32,
    /// Threads a block, along all dimensions.
    pub block: u32,
}

/// Index arithmetic of the kernels is 32-bit: grid · block + n must stay below this.
const INDEX_LIMIT: u64 = 1 << 31;

impl<'a> Plan<'a> {
    /// Checks a size and a shape against what the kernel takes; `shape.grid` is for kernels with a grid-stride loop.
    /// Tutorial E is on its published slice.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the option and the accepted values.
    pub fn new(row: &'a Row, size: Size, shape: Shape) -> Result<Self, Error> {
        Self::with_slice(row, size, Slice::default(), shape)
    }

    /// [`Plan::new`] on a slice of the caller's choice, if the kernel is of tutorial E.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn with_slice(row: &'a Row, size: Size, slice: Slice, shape: Shape) -> Result<Self, Error> {
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
        let slice = (tutorial == Tutorial::E).then_some(slice);
        let grid = match row.grid {
            Grid::Covering(elements) => {
                let elements_per_block = u64::from(block) * u64::from(elements);
                u32::try_from((n as u64).div_ceil(elements_per_block)).unwrap_or(u32::MAX)
            }
            Grid::Tiles { across, points } => tiles(slice, across, points, block).iter().product(),
            Grid::Stride(default) => shape.grid.unwrap_or(default),
        };
        if matches!(row.grid, Grid::Stride(_)) && u64::from(grid) * u64::from(block) + n as u64 >= INDEX_LIMIT {
            return usage(format!(
                "--grid {grid}: {grid} blocks of {block} threads and n = {n} together must stay below 2^31"
            ));
        }
        Ok(Self { row, size, slice, grid, block })
    }

    /// The launch's shape for cudarc.
    #[must_use]
    pub fn config(&self) -> LaunchConfig {
        let ([grid_x, grid_y], across) = match self.row.grid {
            Grid::Tiles { across, points } => (tiles(self.slice, across, points, self.block), across),
            Grid::Covering(_) | Grid::Stride(_) => ([self.grid, 1], self.block),
        };
        LaunchConfig {
            grid_dim: (grid_x, grid_y, 1),
            block_dim: (across, self.block / across, 1),
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
            Grid::Tiles { .. } | Grid::Stride(_) => None,
        }
    }

    /// `4096 bodies, 1000 steps`, or `10000 atoms, 512 x 512 points`.
    #[must_use]
    pub fn describe_size(&self) -> String {
        let Size { n, steps, .. } = self.size;
        let count = self.row.work.tutorial().count(n);
        if let Some(Slice { width, height, .. }) = self.slice {
            return format!("{count}, {width} x {height} points");
        }
        match steps {
            Some(1) => format!("{count}, 1 step"),
            Some(steps) => format!("{count}, {steps} steps"),
            None => count,
        }
    }
}

/// Blocks along x and y that cover a slice.
fn tiles(slice: Option<Slice>, across: u32, points: u32, block: u32) -> [u32; 2] {
    let Slice { width, height, .. } = slice.unwrap_or_default();
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
    let is_chosen = |row: &Row| {
        options.kernel.is_empty() || options.kernel.iter().any(|name| name.eq_ignore_ascii_case(row.kernel))
    };
    let rows: Vec<&Row> = stage.rows.iter().copied().filter(|row| is_chosen(row)).collect();
    require_heeded(&rows, options)?;
    super::extras::require_makeable(&rows, options)?;
    let mut plans = Vec::new();
    for row in rows {
        let tutorial = row.work.tutorial();
        let default_steps = tutorial.default_steps(backend);
        let size = Size {
            n: options.n_usize()?.unwrap_or_else(|| row.work.default_n(backend)),
            steps: default_steps.map(|default| options.steps.unwrap_or(default)),
            seed: options.seed,
        };
        let single = [Shape { grid: options.grid, block: options.block.unwrap_or(row.block) }];
        let shapes = if options.sweep && !row.sweep.is_empty() { row.sweep } else { &single };
        for &shape in shapes {
            plans.push(Plan::with_slice(row, size, options.slice(), shape)?);
        }
    }
    Ok(plans)
}

/// An option without an effect would be taken for one with.
fn require_heeded(rows: &[&Row], options: &Options) -> Result<(), Error> {
    let has_stride = rows.iter().any(|row| matches!(row.grid, Grid::Stride(_)));
    let has_steps = rows.iter().any(|row| row.work.tutorial().default_steps(Backend::Cuda).is_some());
    let has_slice = rows.iter().any(|row| row.work.tutorial() == Tutorial::E);
    let has_sweep = rows.iter().any(|row| !row.sweep.is_empty());
    if let (Some(option), false) = (slice_option(options), has_slice) {
        return usage(format!("{option}: no chosen kernel takes a slice of points"));
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

/// The first option about the slice of points, as it was given.
fn slice_option(options: &Options) -> Option<String> {
    let width = options.width.map(|width| format!("--width {width}"));
    let height = options.height.map(|height| format!("--height {height}"));
    width.or(height).or(options.spacing.map(|spacing| format!("--spacing {spacing}")))
}

#[cfg(test)]
mod tests {
    use super::super::{Blocks, Entry};
    use super::*;
    use crate::kernel::KernelSource;
    use crate::workload::Work;

    static SUM: Row = Row {
        kernel: "sum",
        source: KernelSource { file: "sum", cuda: "", ptx: "", crate_folder: "" },
        entry: Entry::Single("sum"),
        companion: None,
        work: Work::Reduction { launch: |_, _| Ok(()) },
        grid: Grid::Covering(1),
        block: 128,
        blocks: Blocks::Any,
        shared_bytes_per_thread: 0,
        sweep: &[],
        published: None,
        below: None,
    };

    static STAGE: Stage = Stage { name: "stage", title: "", rows: &[&SUM], lesson: [""; 2], read_on: "" };

    fn refusal(arguments: &[&str]) -> String {
        let arguments = ["stage"].iter().chain(arguments).map(Into::into);
        let options = Options::parse_for(&STAGE, arguments).unwrap();
        plan(&STAGE, &options, Backend::Cuda).unwrap_err().to_string()
    }

    #[test]
    fn options_about_points_are_refused_where_no_kernel_takes_points() {
        assert!(refusal(&["--width", "64"]).starts_with("--width 64: no chosen kernel takes a slice of points"));
        assert!(refusal(&["--height", "1"]).starts_with("--height 1:"));
        assert!(refusal(&["--spacing", "0.5"]).starts_with("--spacing 0.5:"));
    }

    #[test]
    fn tiles_cover_a_slice_that_they_do_not_divide() {
        let slice = |width, height| Some(Slice { width, height, spacing: 1.0 });
        assert_eq!(tiles(slice(128, 16), 16, 8, 256), [1, 1]);
        assert_eq!(tiles(slice(129, 17), 16, 8, 256), [2, 2]);
        assert_eq!(tiles(slice(129, 17), 16, 1, 16), [9, 17]);
    }
}
