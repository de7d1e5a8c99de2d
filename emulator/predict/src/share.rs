//! The part of a grid that one multiprocessor executes.
//!
//! If blocks have about the same work, a multiprocessor has every `occupied`-th, and any stands for all. Otherwise the
//! blocks are dealt out as the GPU does, the next one to the first place that becomes free, and the multiprocessor that ends
//! last is the one that counts.

use crate::gpu::Gpu;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The number of waves of blocks that are simulated.
const WAVES: u64 = 4;

/// The deviation of the work of blocks, in parts of its mean, up to which they count as equal.
const EQUAL: f64 = 0.1;

/// The largest number of blocks that are dealt out one by one; of more, several in a row are one.
const MAX_DEALT: u64 = 1 << 20;

/// The work of some blocks of a grid in issue slots, in the order of their numbers.
pub(crate) struct Weights {
    samples: Vec<(u64, u64)>,
}

/// The blocks of one multiprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// The number of multiprocessors that have blocks.
    pub(crate) occupied: u64,
    /// The number of its blocks.
    pub(crate) blocks: u64,
    /// Those that are simulated, in their order.
    pub(crate) simulated: Vec<u64>,
    /// Its issue slots, if blocks differ.
    pub(crate) slots: Option<u64>,
}

/// Returns the numbers of at most `count` blocks all over a grid, with irregular distances, so that they do not all stand in
/// one column.
pub(crate) fn spread(grid: u64, count: u64) -> Vec<u64> {
    if grid <= count {
        return (0..grid).collect();
    }
    // The fractions of multiples of the golden ratio.
    let jitter = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let part = |index: u64| (u128::from(index) * u128::from(grid) / u128::from(count)) as u64;
    (0..count).map(|index| part(index) + ((part(index + 1) - part(index)) * jitter(index) >> 32)).collect()
}

impl Weights {
    /// Takes the work of some blocks.
    pub(crate) fn new(mut samples: Vec<(u64, u64)>) -> Self {
        samples.sort_unstable();
        Self { samples }
    }

    /// Returns whether all blocks have about the same work.
    pub(crate) fn are_equal(&self) -> bool {
        let slots: Vec<f64> = self.samples.iter().map(|(_, slots)| *slots as f64).collect();
        let mean = slots.iter().sum::<f64>() / slots.len().max(1) as f64;
        let variance = slots.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / slots.len().max(1) as f64;
        variance.sqrt() <= EQUAL * mean
    }

    /// Returns the nearest block that is known, and its work.
    fn nearest(&self, block: u64) -> (u64, u64) {
        let behind = self.samples.partition_point(|(other, _)| *other < block);
        let near = &self.samples[behind.saturating_sub(1)..self.samples.len().min(behind + 1)];
        near.iter().min_by_key(|(other, _)| other.abs_diff(block)).copied().unwrap_or_default()
    }
}

impl Share {
    /// Returns a share of blocks that are alike. It is in the middle of those with as many blocks as any, because the first and
    /// the last blocks of a grid are often special.
    pub(crate) fn of_equal_blocks(gpu: &Gpu, grid: u64, resident: u64) -> Self {
        let occupied = gpu.occupied_multiprocessors(grid);
        let fullest = (grid - 1) % occupied + 1;
        let blocks = grid.div_ceil(occupied);
        let simulated = (0..blocks.min(resident * WAVES)).map(|index| fullest / 2 + index * occupied).collect();
        Self { occupied, blocks, simulated, slots: None }
    }

    /// Returns the share that ends last. For each of its blocks, the nearest one that is known is simulated.
    pub(crate) fn that_ends_last(gpu: &Gpu, grid: u64, resident: u64, weights: &Weights) -> Self {
        let occupied = gpu.occupied_multiprocessors(grid);
        let together = grid.div_ceil(MAX_DEALT);
        // A place is free after so many slots, and belongs to the multiprocessor of its number.
        let mut places: BinaryHeap<Reverse<(u64, u64)>> =
            (0..occupied * resident).map(|place| Reverse((0, place))).collect();
        let mut taken = Vec::new();
        for block in (0..grid).step_by(together as usize) {
            let Some(Reverse((free, place))) = places.pop() else { break };
            let (known, slots) = weights.nearest(block);
            places.push(Reverse((free + slots * together, place)));
            taken.push((known, slots, place % occupied));
        }
        let last = places.into_iter().map(|Reverse((free, place))| (free, place % occupied)).max();
        let last = last.map_or(0, |(_, multiprocessor)| multiprocessor);
        let own: Vec<(u64, u64)> =
            taken.into_iter().filter(|(.., at)| *at == last).map(|(known, slots, _)| (known, slots)).collect();
        if own.is_empty() {
            // No known block has work.
            return Self::of_equal_blocks(gpu, grid, resident);
        }
        let slots = own.iter().map(|(_, slots)| slots * together).sum();
        let simulated: Vec<u64> = own.into_iter().map(|(known, _)| known).collect();
        Self { occupied, blocks: simulated.len() as u64 * together, simulated, slots: Some(slots) }
    }

    /// Returns whether all of its blocks are simulated.
    pub(crate) fn is_whole(&self) -> bool {
        self.blocks == self.simulated.len() as u64
    }
}
