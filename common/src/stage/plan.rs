//! What follows from a plan: the same launch of another kernel, or at another size.

use super::{Grid, Plan, Shape};
use crate::error::Error;
use crate::kernel::KernelSource;
use crate::problem::Size;
use cudarc::driver::LaunchConfig;

impl<'a> Plan<'a> {
    /// Returns the same launch for the size of another run, with the blocks that it needs.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn at(&self, n: usize) -> Result<Self, Error> {
        let grid = matches!(self.rung.grid, Grid::Stride(_)).then_some(self.grid);
        let plan = Self::new(self.rung, Size { n, ..self.size.clone() }, Shape { grid, block: self.block })?;
        Ok(Self { in_rust: self.in_rust, sampling: self.sampling, ..plan })
    }

    /// Returns how many times a step launches the kernel.
    #[must_use]
    pub fn launches_of_a_step(&self) -> u32 {
        (self.facts().launches)(&self.size) / self.size.step_count()
    }

    /// Returns the launch shape of the companion.
    #[must_use]
    pub fn companion_config(&self) -> LaunchConfig {
        let (grid, block, _) = self.rung.companion_shape.unwrap_or((Grid::Covering(1), self.block, 0));
        let [blocks, ..] = grid.blocks(&self.size, [1, 1], block, None);
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }

    /// Returns the most shared memory in bytes that the launch function asks for in a block.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.config().shared_mem_bytes.max(self.rung.companion_shape.map_or(0, |(.., bytes)| bytes))
    }

    /// Returns the file and entry point of the kernel's companion.
    #[must_use]
    pub fn companion(&self) -> Option<(&'a KernelSource, &'static str)> {
        self.rung.companion.as_ref().map(|(source, entry)| (source.written(self.in_rust), *entry))
    }

    /// Returns the files and entry points of the kernel and its companion.
    pub fn entries(&self) -> impl Iterator<Item = (&'a KernelSource, String)> + use<'a> {
        let kernel = (self.source(), self.rung.entry.name_for(&self.size, self.block));
        [kernel].into_iter().chain(self.companion().map(|(source, entry)| (source, entry.into())))
    }

    /// Returns the compute capability that the kernel needs and a device lacks, as `compute capability 9.0, and this GPU has 8.6`.
    #[must_use]
    pub fn lacks(&self, own: (i32, i32)) -> Option<String> {
        let needed = self.rung.compute_capability();
        let is_specific = self.rung.source.is_specific();
        let exactly = if is_specific { "exactly " } else { "" };
        let words =
            || format!("{exactly}compute capability {}.{}, and this GPU has {}.{}", needed.0, needed.1, own.0, own.1);
        (needed > own || is_specific && needed != own).then(words)
    }

    /// Returns the same launch of the kernel's Rust version; `None` if there is none.
    #[must_use]
    pub fn in_rust(&self) -> Option<Self> {
        let is_written = |source: &KernelSource| source.rust.is_some();
        let companion = self.rung.companion.as_ref().map(|(source, _)| source);
        let all = is_written(&self.rung.source) && companion.is_none_or(is_written);
        all.then(|| Self { in_rust: true, ..self.clone() })
    }
}
