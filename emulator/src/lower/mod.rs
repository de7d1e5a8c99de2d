//! From the syntax tree to steps: inlining, operands, basic blocks, register slots.

mod allocate;
mod expand;
mod flow;
pub(crate) mod step;

use crate::LoadError;
use crate::ptx::tree::{Function, Space, Tree, Variable};
use std::cell::Cell;
use std::collections::HashMap;
use step::Program;

/// A variable of the module as seen by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) space: Space,
    /// Device address of global and constant variables; of no meaning for shared ones.
    pub(crate) address: u64,
}

/// Statements and variables that all kernels of a module together may have after inlining.
const MAX_STATEMENTS: usize = 1 << 21;

/// What the code of a module refers to by name.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// Functions with a body.
    functions: HashMap<&'a str, &'a Function>,
    /// Variables in shared memory.
    shared: HashMap<&'a str, &'a Variable>,
    /// Variables in device memory.
    symbols: HashMap<String, Symbol>,
    /// What is left of [`MAX_STATEMENTS`].
    left: Cell<usize>,
}

impl<'a> Names<'a> {
    /// The names of `tree`, whose variables in device memory are at `symbols`. The first of a name counts.
    pub(crate) fn new(tree: &'a Tree, symbols: HashMap<String, Symbol>) -> Self {
        let (mut functions, mut shared) = (HashMap::new(), HashMap::new());
        for function in tree.functions.iter().filter(|function| function.body.is_some()) {
            functions.entry(function.name.as_str()).or_insert(function);
        }
        for variable in tree.variables.iter().filter(|variable| variable.space == Space::Shared) {
            shared.entry(variable.name.as_str()).or_insert(variable);
        }
        Self { functions, shared, symbols, left: Cell::new(MAX_STATEMENTS) }
    }
}

/// Lowers one kernel of the module with these names.
pub(crate) fn lower(names: &Names<'_>, kernel: &Function) -> Result<Program, LoadError> {
    let expanded = expand::expand(names, kernel)?;
    let mut program = flow::split_into_blocks(expanded)?;
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
