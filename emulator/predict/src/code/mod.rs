//! From PTX to the operations of a GPU: a small stand-in for ptxas.
//!
//! `select` replaces each PTX instruction with operations, `join` merges loads, and
//! `schedule` orders the operations of each basic block.

mod exact;
pub(crate) mod join;
pub(crate) mod operation;
mod ports;
pub(crate) mod schedule;
pub(crate) mod select;
mod uses;

use emulator::Listing;
use operation::Operation;

/// Returns the operations of each basic block in the order in which a warp issues them.
pub(crate) fn compile(listing: &Listing) -> Vec<Vec<Operation>> {
    let selected = select::select(listing);
    let mut blocks: Vec<_> = selected.into_iter().map(|block| schedule::schedule(join::join(block))).collect();
    blocks.iter_mut().for_each(|block| ports::count(block, &listing.registers));
    blocks
}
