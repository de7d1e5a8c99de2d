//! One launch: which kernel, at which size, in which shape.

use crate::error::{Error, usage};
use crate::problem::{Facts, Size};
use crate::stage::{Grid, Rung, Shape};
use cudarc::driver::LaunchConfig;

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

#[cfg(test)]
mod tests {
    use super::tiles;

    #[test]
    fn tiles_cover_a_plane_that_they_do_not_divide() {
        assert_eq!(tiles([128, 16], 16, 8, 256), [1, 1]);
        assert_eq!(tiles([129, 17], 16, 8, 256), [2, 2]);
        assert_eq!(tiles([129, 17], 16, 1, 16), [9, 17]);
    }
}
