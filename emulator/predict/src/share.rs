//! The part of a grid that one multiprocessor executes.

use crate::gpu::Gpu;

/// The blocks of one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// The first block.
    pub(crate) first: u64,
    /// The number of multiprocessors that have blocks: the distance to the next block.
    pub(crate) occupied: u64,
    /// The number of blocks.
    pub(crate) blocks: u64,
}

impl Share {
    /// Returns shares of multiprocessors that have as many blocks as any. The first is in the middle of those, because the
    /// first and the last blocks of a grid are often special; the others serve if the blocks in the middle have no work.
    pub(crate) fn candidates(gpu: &Gpu, blocks: u64) -> Vec<Self> {
        let occupied = gpu.occupied_multiprocessors(blocks);
        let fullest = (blocks - 1) % occupied + 1;
        let mut firsts = vec![fullest / 2, fullest / 4, fullest / 8, 0];
        firsts.dedup();
        firsts.into_iter().map(|first| Self { first, occupied, blocks: blocks.div_ceil(occupied) }).collect()
    }

    /// Returns the number in the grid of a block of the share.
    pub(crate) fn block(&self, index: u64) -> u64 {
        self.first + index * self.occupied
    }
}
