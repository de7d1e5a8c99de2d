//! Lowering of the syntax tree to steps: inlining, operands, basic blocks, register allocation.
//!
//! An operand is a virtual register ([`step::Value`]) while calls are inlined, and a slot of its register file ([`step::Slot`])
//! after register allocation. When a launch binds the program to its block size (`machine/bind.rs`), it becomes rows of the
//! block's registers, where the rows of one register for all warps are adjacent. An operation is decoded once, when binding
//! selects the function that executes it.

mod allocate;
mod edges;
mod expand;
mod flow;
mod invariant;
mod lister;
pub(crate) mod listing;
mod liveness;
pub(crate) mod names;
pub(crate) mod quads;
pub(crate) mod reach;
pub(crate) mod registers;
pub(crate) mod special;
pub(crate) mod step;
pub(crate) mod survey;
mod tally;
pub(crate) mod transfers;
pub(crate) mod uses;
pub(crate) mod wmma;

use crate::ground::refusal::LoadError;
use crate::ptx::tree::Function;
use names::Names;
use step::Program;

/// Lowers a kernel of the module whose names are `names`.
pub(crate) fn lower(names: &Names<'_>, kernel: &Function) -> Result<Program, LoadError> {
    let mut expanded = expand::expand(names, kernel)?;
    tally::mark_counts(&mut expanded);
    allocate::allocate(flow::split_into_blocks(expanded)?)
}
