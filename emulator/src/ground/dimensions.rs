//! Extents and places of grids and blocks, and the shape of a launch.

use std::fmt;

/// Extent of a grid or a block, or a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Dim3 {
    /// The axis that changes fastest.
    pub x: u32,
    /// The second axis.
    pub y: u32,
    /// The slowest axis.
    pub z: u32,
}

impl Dim3 {
    /// Product of the extents, `u64::MAX` if it is larger.
    #[must_use]
    pub fn volume(self) -> u64 {
        (u64::from(self.x) * u64::from(self.y)).saturating_mul(u64::from(self.z))
    }

    pub(crate) fn axis(self, axis: u8) -> u32 {
        [self.x, self.y, self.z][usize::from(axis.min(2))]
    }

    /// The place with number `index`, counted along x first.
    pub(crate) fn at(self, index: u64) -> Self {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        Self { x: (index % x) as u32, y: (index / x % y) as u32, z: (index / (x * y)) as u32 }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// Shape and arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z.
    pub grid: Dim3,
    /// Threads of a block: 1 to 1024 along x and y, 1 to 64 along z, 1024 in all.
    pub block: Dim3,
    /// Dynamic shared memory in bytes; at most [`crate::MAX_SHARED_BYTES`] together with the static.
    pub dynamic_shared_bytes: u32,
    /// The parameter block, [`crate::Kernel::parameter_bytes`] long.
    pub parameters: &'a [u8],
    /// Whether the blocks have what `grid.sync()` of CUDA's cooperative groups synchronizes them by. Whether all are
    /// resident at once, which a driver asks before such a launch, is not asked here.
    pub cooperative: bool,
}
