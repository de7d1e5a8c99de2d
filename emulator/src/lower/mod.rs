//! From the syntax tree to steps: inlining, operands, basic blocks, register slots.
//!
//! An operand is a virtual register while calls are inlined, then a slot of its register file, and rows of a block's
//! registers once a launch binds the program to its block size (`machine/bind.rs`): each phase has a type of its own,
//! and an operation is decoded once, when its step gets the function that executes it. The rows of a register follow
//! each other by warp.

mod allocate;
mod expand;
mod flow;
pub(crate) mod names;
pub(crate) mod step;
pub(crate) mod survey;

use crate::ground::refusal::LoadError;
use crate::ptx::tree::Function;
use names::Names;
use step::Program;

/// Lowers one kernel of the module with these names.
pub(crate) fn lower(names: &Names<'_>, kernel: &Function) -> Result<Program, LoadError> {
    allocate::allocate(flow::split_into_blocks(expand::expand(names, kernel)?)?)
}
