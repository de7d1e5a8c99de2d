//! From the syntax tree to steps: inlining, operands, basic blocks, register slots.

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
