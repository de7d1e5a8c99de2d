//! From the syntax tree to steps: inlining, operands, basic blocks, register slots.

mod allocate;
mod expand;
mod flow;
pub(crate) mod names;
pub(crate) mod step;

use crate::ground::refusal::LoadError;
use crate::ptx::tree::{Function, Tree};
use names::Names;
use step::Program;

/// Lowers one kernel of the module with these names.
pub(crate) fn lower(names: &Names<'_>, kernel: &Function) -> Result<Program, LoadError> {
    allocate::allocate(flow::split_into_blocks(expand::expand(names, kernel)?)?)
}

/// Lists the instructions of `tree` that no row of the table matches, as one error.
pub(crate) fn refuse_unsupported(tree: &Tree) -> Result<(), LoadError> {
    let mut lines = Vec::new();
    for function in &tree.functions {
        for instruction in function.body.iter().flatten().filter_map(expand::instruction_of) {
            if expand::find(&instruction.opcode).is_none() {
                lines.push(format!("line {}: `{}` in `{}`", instruction.line, instruction.opcode, function.name));
            }
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let count = lines.len();
    Err(LoadError::Unsupported(format!("{count} instructions that are not supported:\n  {}", lines.join("\n  "))))
}
