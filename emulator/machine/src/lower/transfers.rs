//! The loads and stores of a kernel, with the uses of what they load.

use super::listing::Listing;
use super::reach::{Reach, reach};
use std::sync::Arc;

/// A load or store.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transfer {
    /// The number of elements; 0 if nothing is known of the step.
    pub(crate) elements: u8,
    /// One bit for each element of a load whose value is at most stored again.
    pub(crate) only_stored: u8,
    /// Whether a comparison of the loaded integer with something else decides a branch, as with a flag. Something else is no
    /// other volatile load, as in the reductions of warps from before `__syncwarp`.
    pub(crate) decides: bool,
    /// The virtual registers of the elements, where all that writes the register is loads.
    pub(crate) registers: [Option<u32>; 4],
}

/// The loads and stores of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    /// For each step, the index of its transfer, or 0.
    pub(super) indices: Vec<u32>,
    /// The first stands for all other steps.
    pub(super) transfers: Vec<Transfer>,
    /// The instructions of the kernel, and the number of that of each step.
    pub(super) listing: Arc<Listing>,
    pub(super) numbers: Vec<u32>,
}

impl Uses {
    /// Returns the transfer of a step.
    pub(crate) fn at(&self, position: u32) -> Transfer {
        self.transfers[self.indices[position as usize] as usize]
    }

    /// Returns what becomes of the values that a step loads.
    pub(crate) fn reach(&self, position: u32) -> Reach {
        reach(&self.listing, self.number(position))
    }

    /// Returns the number of a step's instruction.
    pub(crate) fn number(&self, position: u32) -> u32 {
        self.numbers[position as usize]
    }
}
