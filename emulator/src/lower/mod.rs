//! From the syntax tree to steps: inlining, operands, basic blocks, register slots.

mod allocate;
mod expand;
mod flow;
pub(crate) mod step;

use crate::LoadError;
use crate::ptx::tree::{Function, Space, Tree};
use std::collections::HashMap;
use step::Program;

/// A variable of the module as seen by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) space: Space,
    /// Device address of global and constant variables; of no meaning for shared ones.
    pub(crate) address: u64,
}

/// Lowers one kernel of `tree`.
pub(crate) fn lower(tree: &Tree, kernel: &Function, symbols: &HashMap<String, Symbol>) -> Result<Program, LoadError> {
    let expanded = expand::expand(tree, kernel, symbols)?;
    let mut program = flow::split_into_blocks(expanded);
    allocate::allocate(&mut program.0, program.1)?;
    Ok(program.0)
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
