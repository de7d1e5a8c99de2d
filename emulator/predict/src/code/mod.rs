//! From PTX to the operations of a GPU: a small stand-in for ptxas.
//!
//! `select` replaces each PTX instruction with operations, `predicate` removes short branches, `join` merges loads, and
//! `schedule` orders the operations of each basic block.

mod exact;
pub(crate) mod join;
pub(crate) mod operation;
mod ports;
pub(crate) mod predicate;
pub(crate) mod schedule;
pub(crate) mod select;
pub(crate) mod tensor;
mod uses;

use emulator::Listing;
use operation::Operation;
use predicate::Heads;

/// Returns the operations of each basic block in the order in which a warp issues them, and which blocks became one.
pub(crate) fn compile(listing: &Listing) -> (Vec<Vec<Operation>>, Heads) {
    let heads = predicate::heads(listing);
    let selected = predicate::merge(listing, &heads, select::select(listing));
    let mut blocks: Vec<_> = selected.into_iter().map(|block| schedule::schedule(join::join(block))).collect();
    blocks.iter_mut().for_each(|block| ports::count(block, &listing.registers));
    (blocks, heads)
}
