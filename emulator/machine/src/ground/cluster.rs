//! The division of a grid into clusters: boxes of blocks that run at the same time and access each other's shared memory.

use super::dimensions::Dim3;

/// The largest number of blocks of a cluster that every device of compute capability 9.0 accepts.
pub(crate) const MAX_BLOCKS: u64 = 8;

/// The number of the lower bits of an address in shared memory that select the byte. The eight bits above them are the rank of the
/// block in its cluster, as in hardware of compute capability 9.0: so the address of a variable differs between blocks.
pub(crate) const OFFSET_BITS: u32 = 24;

/// The clusters of a launch. Without clusters, each block is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clusters {
    pub(crate) grid: Dim3,
    /// The number of blocks of a cluster along each axis, which divides that of the grid.
    pub(crate) size: Dim3,
}

impl Clusters {
    /// Returns the number of blocks of a cluster.
    pub(crate) fn blocks(self) -> u64 {
        self.size.volume()
    }

    /// Returns the number of clusters along each axis.
    pub(crate) fn extent(self) -> Dim3 {
        let Self { grid, size } = self;
        Dim3 { x: grid.x / size.x, y: grid.y / size.y, z: grid.z / size.z }
    }

    /// Returns the index of the cluster of the block at `index`, and the block's index in it.
    pub(crate) fn split(self, index: Dim3) -> (Dim3, Dim3) {
        let Self { size, .. } = self;
        let cluster = Dim3 { x: index.x / size.x, y: index.y / size.y, z: index.z / size.z };
        (cluster, Dim3 { x: index.x % size.x, y: index.y % size.y, z: index.z % size.z })
    }

    /// Returns the number of the cluster of a block, and the block's rank in it.
    pub(crate) fn locate(self, block: u64) -> (u64, u64) {
        let (cluster, inside) = self.split(self.grid.at(block));
        (self.extent().number(cluster), self.size.number(inside))
    }

    /// Returns the number in the grid of the block with this rank in a cluster.
    pub(crate) fn block(self, cluster: u64, rank: u64) -> u64 {
        let cluster = self.extent().at(cluster);
        let inside = self.size.at(rank);
        let size = self.size;
        let axis = |cluster: u32, size: u32, inside: u32| cluster * size + inside;
        self.grid.number(Dim3 {
            x: axis(cluster.x, size.x, inside.x),
            y: axis(cluster.y, size.y, inside.y),
            z: axis(cluster.z, size.z, inside.z),
        })
    }
}

/// Returns the rank in an address in shared memory, which may be generic, and the offset.
#[inline(always)]
pub(crate) fn rank_of(address: u64) -> (u64, u64) {
    ((address & 0xFFFF_FFFF) >> OFFSET_BITS, address & ((1 << OFFSET_BITS) - 1))
}

/// Returns the address of the same byte in the shared memory of the block with this rank.
#[inline(always)]
pub(crate) fn at_rank(address: u64, rank: u32) -> u64 {
    let window = address & !0xFFFF_FFFF;
    window | rank_of(address).1 | u64::from(rank << OFFSET_BITS)
}
