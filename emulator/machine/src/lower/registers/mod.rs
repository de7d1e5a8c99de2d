//! An estimate of the registers that ptxas needs for a kernel: as many as fast code needs, and as many as the fastest code needs.
//!
//! Both are the most that are live at once after list scheduling: the operation that can start first is next, so that loads
//! move ahead of the arithmetic of earlier statements. They differ in what ptxas does if registers are scarce or free:
//!
//! - Scarce: operations move over few others. Parameters, and what integer instructions compute from them, stay in constant
//!   memory or go to the uniform registers of a warp.
//! - Free: operations move as far as dependencies allow, and all values are in registers of threads.
//!
//! Predicates and literals need no registers. Copies, conversions between integers, scaled indices and offsets of addresses share
//! the register of their source. A block behind a short forward branch becomes predicated instructions of the block before it.

mod graph;
mod operation;
mod values;

use super::edges::reverse;
use super::listing::Listing;
use super::liveness::Occurrences;
use graph::Graph;
use operation::{Operation, Order};
use values::Values;

/// The number of operations, from the first that is not yet scheduled, among which the scheduler chooses if registers are scarce.
///
/// This is the one number that was fitted, to what ptxas allocates for stages 1 to 6. 16, 24 and 32 are nearly as good.
const WINDOW: usize = 12;

/// The largest number of instructions behind a branch that become predicated.
const PREDICATED: usize = 8;

/// The 32-bit registers of a thread that are live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pressure {
    /// If registers are scarce.
    pub(crate) scarce: u32,
    /// If registers are free.
    pub(crate) free: u32,
}

/// The maximum number of basic blocks and edges that the liveness analysis visits, summed over all registers.
const MAX_WALK: usize = 1 << 22;

/// Returns the registers that are live at once, or `None` for a kernel that is too large to tell.
pub(crate) fn estimate(listing: &Listing) -> Option<Pressure> {
    let predecessors = reverse(&listing.successors);
    let scarce = peak(listing, &predecessors, &Values::new(listing, true), WINDOW)?;
    let free = peak(listing, &predecessors, &Values::new(listing, false), usize::MAX)?;
    Some(Pressure { scarce, free })
}

/// Returns the most registers that are live at once after scheduling.
fn peak(listing: &Listing, predecessors: &[Vec<usize>], values: &Values, window: usize) -> Option<u32> {
    let blocks: Vec<Vec<Operation>> = listing.blocks.iter().map(|block| values.operations(block)).collect();
    let live = live_at_ends(&blocks, predecessors, listing.registers.len())?;
    let mut is_live = vec![false; listing.registers.len()];
    let of_region = |region: Region| {
        let (operations, after) = region.operations(&blocks, &live);
        let order = Graph::new(&operations).order(&operations, window);
        values.peak(&operations, &order, after, &mut is_live)
    };
    regions(&listing.successors, predecessors, &blocks).into_iter().map(of_region).max()
}

/// Returns the registers that are live at the end of each block.
fn live_at_ends(blocks: &[Vec<Operation>], predecessors: &[Vec<usize>], registers: usize) -> Option<Vec<Vec<u32>>> {
    let occurrences = Occurrences::new(registers, blocks.len(), |block, touch| {
        for operation in &blocks[block] {
            let kept: &[u32] = if operation.keeps_old { &operation.writes } else { &[] };
            operation.reads.iter().chain(kept).for_each(|&register| touch(register as usize, false));
            operation.writes.iter().for_each(|&register| touch(register as usize, true));
        }
    });
    let mut live: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
    occurrences.follow(predecessors, MAX_WALK, |register, block, at_end| {
        if at_end && live[block].last() != Some(&(register as u32)) {
            live[block].push(register as u32);
        }
    })?;
    Some(live)
}

/// Basic blocks that become one.
struct Region {
    /// The blocks in order, and whether each is predicated.
    blocks: Vec<(usize, bool)>,
}

/// Returns the regions of a kernel.
fn regions(successors: &[Vec<usize>], predecessors: &[Vec<usize>], blocks: &[Vec<Operation>]) -> Vec<Region> {
    let is_short = |block: usize| {
        let mut operations = blocks[block].iter().filter(|operation| !operation.is_branch);
        blocks[block].len() <= PREDICATED + 1 && operations.all(|operation| operation.order != Order::Fence)
    };
    // Returns what follows the block at the end of a region.
    let next = |end: usize| match successors[end][..] {
        [after] if after == end + 1 && predecessors[after] == [end] => Some((None, after)),
        [one, other] if one == end + 1 || other == end + 1 => {
            let behind = end + 1;
            let after = if one == end + 1 { other } else { one };
            let skips = after > behind && predecessors[behind] == [end] && successors[behind] == [after];
            let meets = predecessors[after].len() == 2 && predecessors[after].contains(&end);
            (skips && meets && predecessors[after].contains(&behind) && is_short(behind))
                .then_some((Some(behind), after))
        }
        _ => None,
    };
    let mut taken = vec![false; blocks.len()];
    let mut regions = Vec::new();
    for first in 0..blocks.len() {
        if taken[first] {
            continue;
        }
        let mut list = vec![(first, false)];
        let mut end = first;
        while let Some((behind, after)) = next(end).filter(|&(_, after)| !taken[after]) {
            list.extend(behind.map(|block| (block, true)));
            list.push((after, false));
            end = after;
        }
        list.iter().for_each(|&(block, _)| taken[block] = true);
        regions.push(Region { blocks: list });
    }
    regions
}

impl Region {
    /// Returns the operations, and the registers that are live at the end.
    fn operations<'a>(&self, blocks: &[Vec<Operation>], live: &'a [Vec<u32>]) -> (Vec<Operation>, &'a [u32]) {
        let last = self.blocks.last().map_or(0, |&(block, _)| block);
        let mut all = Vec::new();
        for &(block, is_predicated) in &self.blocks {
            let kept = blocks[block].iter().filter(|operation| block == last || !operation.is_branch);
            all.extend(kept.cloned().map(|mut operation| {
                let stays = |register: &u32| live[block].binary_search(register).is_ok();
                operation.keeps_old |= is_predicated && operation.writes.iter().any(stays);
                operation
            }));
        }
        (all, live.get(last).map_or(&[], Vec::as_slice))
    }
}
