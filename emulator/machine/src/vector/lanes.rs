//! The warps that execute a step together, and their active lanes.

use crate::ground::lanes::count;

/// The warps that execute a step together, and their active lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// The warps of the block, ascending.
    pub(crate) warps: Vec<u8>,
    /// The active lanes of each of these warps.
    pub(crate) masks: Vec<u32>,
    /// The number of active lanes of all of these warps.
    pub(crate) active: u32,
    /// Whether arithmetic may write all lanes, because the inactive ones have exited or never existed.
    pub(crate) full: bool,
}

impl Lanes {
    /// Removes all warps.
    pub(crate) fn clear(&mut self) {
        self.warps.clear();
        self.masks.clear();
        self.active = 0;
        self.full = true;
    }

    /// Adds a warp, whose number is larger than those of the others.
    pub(crate) fn push(&mut self, warp: usize, mask: u32) {
        self.warps.push(warp as u8);
        self.masks.push(mask);
        self.active += count(mask);
    }

    /// Returns the warps, each with its active lanes.
    #[inline(always)]
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, u32)> {
        self.warps.iter().zip(&self.masks).map(|(&warp, &mask)| (usize::from(warp), mask))
    }
}
