//! Launch shapes: grids, accepted block sizes, and the entry points for them.

use crate::problem::{Size, as_u32};

/// The grid of a kernel's launches.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// As many blocks as cover n elements, each thread taking this many.
    Covering(u32),
    /// As many blocks as cover a plane of points, in two dimensions. A block is `across` threads wide, which divides every
    /// accepted block size, and each thread takes `points` of a row.
    Tiles {
        /// Threads of a block along x.
        across: u32,
        /// Points of a row per thread.
        points: u32,
    },
    /// By default this many blocks, or as many as `--grid` asks for: the kernel has a grid-stride loop.
    Stride(u32),
    /// Blocks along x, y and z, computed by the stage from the size and the threads of a block. Blocks have one dimension.
    Computed(fn(&Size, u32) -> [u32; 3]),
}

impl Grid {
    /// Returns the blocks along x, y and z for a size with these extents, in blocks of `block` threads. `given` is the value
    /// of `--grid`, which only grid-stride loops use.
    ///
    /// # Panics
    /// If the number of blocks does not fit 32 bits, as that of every accepted size does.
    #[must_use]
    pub fn blocks(&self, size: &Size, [width, height]: [u32; 2], block: u32, given: Option<u32>) -> [u32; 3] {
        match *self {
            Self::Covering(elements) => {
                let blocks = size.n.div_ceil(block as usize * elements as usize);
                [as_u32(blocks), 1, 1]
            }
            Self::Tiles { across, points } => [width.div_ceil(across * points), height.div_ceil(block / across), 1],
            Self::Stride(default) => [given.unwrap_or(default), 1, 1],
            Self::Computed(blocks) => blocks(size, block),
        }
    }
}

/// The block sizes that a kernel accepts.
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
    /// Returns whether a block size is among them.
    #[must_use]
    pub fn accept(&self, block: u32) -> bool {
        match self {
            Self::Any => (1..=1024).contains(&block),
            Self::PowersOfTwo => block.is_power_of_two() && (32..=1024).contains(&block),
            Self::MultiplesOf(unit) => (1..=1024).contains(&block) && block.is_multiple_of(*unit),
            Self::OneOf(sizes) => sizes.contains(&block),
        }
    }

    /// Describes them for an error message.
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

/// A launch shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks; `None` if they follow from n.
    pub grid: Option<u32>,
    /// Threads per block.
    pub block: u32,
}

impl Shape {
    /// Returns a block size whose grid follows from n.
    #[must_use]
    pub const fn block(block: u32) -> Self {
        Self { grid: None, block }
    }

    /// Returns a grid and a block size.
    #[must_use]
    pub const fn grid(grid: u32, block: u32) -> Self {
        Self { grid: Some(grid), block }
    }
}

/// The names of a kernel's entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One for every block size.
    Single(&'static str),
    /// One per block size, which is a constant of the code: `prefix_128`.
    PerBlock(&'static str),
    /// One per value of an option, which is a constant of the code: `prefix_64`.
    PerOption {
        /// The names before the value.
        prefix: &'static str,
        /// The option's name.
        option: &'static str,
        /// Its values, the default first.
        values: &'static [u32],
    },
}

impl Entry {
    /// Returns the entry point for a block size, and for the default of an option.
    #[must_use]
    pub fn name(&self, block: u32) -> String {
        self.names(block).swap_remove(0)
    }

    /// Returns the entry point for a size and a block size.
    #[must_use]
    pub fn name_for(&self, size: &Size, block: u32) -> String {
        let Self::PerOption { prefix, option, values } = self else { return self.name(block) };
        let value = size.parameters.get(option).unwrap_or(f64::from(values[0]));
        format!("{prefix}_{value}")
    }

    /// Returns all entry points for a block size.
    #[must_use]
    pub fn names(&self, block: u32) -> Vec<String> {
        match self {
            Self::Single(name) => vec![(*name).into()],
            Self::PerBlock(prefix) => vec![format!("{prefix}_{block}")],
            Self::PerOption { prefix, values, .. } => values.iter().map(|value| format!("{prefix}_{value}")).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_a_plane_that_they_do_not_divide() {
        let tiles =
            |extents, points, block| Grid::Tiles { across: 16, points }.blocks(&Size::new(1), extents, block, None);
        assert_eq!(tiles([128, 16], 8, 256), [1, 1, 1]);
        assert_eq!(tiles([129, 17], 8, 256), [2, 2, 1]);
        assert_eq!(tiles([129, 17], 1, 16), [9, 17, 1]);
    }

    #[test]
    fn a_grid_covers_n_and_only_a_grid_stride_loop_takes_one() {
        let blocks = |grid: Grid, n| grid.blocks(&Size::new(n), [1, 1], 128, Some(7))[0];
        assert_eq!([1, 128, 129].map(|n| blocks(Grid::Covering(1), n)), [1, 1, 2]);
        assert_eq!(blocks(Grid::Covering(4), 513), 2);
        assert_eq!(blocks(Grid::Stride(64), 513), 7);
    }
}
