//! What the code of a module refers to by name.

use crate::ground::space::Space;
use crate::ptx::tree::{Function, Tree, Variable};
use std::cell::Cell;
use std::collections::HashMap;

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
    pub(super) functions: HashMap<&'a str, &'a Function>,
    /// Variables in shared memory.
    pub(super) shared: HashMap<&'a str, &'a Variable>,
    /// Variables in device memory.
    pub(super) symbols: HashMap<String, Symbol>,
    /// Those of them that no code may use, each with a reason.
    pub(super) refused: HashMap<String, String>,
    /// What is left of [`MAX_STATEMENTS`].
    pub(super) left: Cell<usize>,
}

impl<'a> Names<'a> {
    /// The names of `tree`, whose variables in device memory are at `symbols`, those `refused` with a reason among them. The
    /// first of a name counts.
    pub(crate) fn new(tree: &'a Tree, symbols: HashMap<String, Symbol>, refused: HashMap<String, String>) -> Self {
        let (mut functions, mut shared) = (HashMap::new(), HashMap::new());
        for function in tree.functions.iter().filter(|function| function.body.is_some()) {
            functions.entry(function.name.as_str()).or_insert(function);
        }
        for variable in tree.variables.iter().filter(|variable| variable.space == Space::Shared) {
            shared.entry(variable.name.as_str()).or_insert(variable);
        }
        Self { functions, shared, symbols, refused, left: Cell::new(MAX_STATEMENTS) }
    }
}
