//! Three-dimensional extents and indices, and the configuration of a launch.

use std::fmt;

/// The extent of a grid or a block, or an index in it.
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
    /// Returns the product of the extents, saturated at `u64::MAX`.
    #[must_use]
    pub fn volume(self) -> u64 {
        (u64::from(self.x) * u64::from(self.y)).saturating_mul(u64::from(self.z))
    }

    /// Returns the extent along x (0), y (1) or z (2).
    pub(crate) fn axis(self, axis: u8) -> u32 {
        [self.x, self.y, self.z][usize::from(axis.min(2))]
    }

    /// Returns the index whose linear number is `index`, counted along x first.
    pub(crate) fn at(self, index: u64) -> Self {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        Self { x: (index % x) as u32, y: (index / x % y) as u32, z: (index / (x * y)) as u32 }
    }

    /// Returns the linear number of an index, counted along x first.
    pub(crate) fn number(self, index: Self) -> u64 {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        u64::from(index.x) + x * (u64::from(index.y) + y * u64::from(index.z))
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// The configuration and arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The number of blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z.
    pub grid: Dim3,
    /// The number of threads in a block: 1 to 1024 along x and y, 1 to 64 along z, and at most 1024 in all.
    pub block: Dim3,
    /// The dynamic shared memory in bytes: with the static, at most [`crate::MAX_SHARED_BYTES`].
    pub dynamic_shared_bytes: u32,
    /// The parameter block, of [`crate::Kernel::parameter_bytes`] bytes.
    pub parameters: &'a [u8],
    /// Whether the kernel may call `grid.sync()` of CUDA's cooperative groups. A driver first checks that all blocks are
    /// resident at once; [`crate::launch`] does not.
    pub cooperative: bool,
    /// The number of blocks of a cluster along each axis, for a kernel that does not require it itself
    /// ([`crate::Kernel::required_cluster`]); `None` for no clusters.
    pub cluster: Option<Dim3>,
}
