//! The functions and variables that the code of a module refers to by name.

use crate::ground::space::Space;
use crate::ptx::tree::{Function, Tree, Variable};
use std::cell::Cell;
use std::collections::HashMap;

/// A variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) space: Space,
    /// The device address of a global or constant variable. Unused for shared variables.
    pub(crate) address: u64,
}

/// The maximum number of statements and variables of all kernels of a module together, after inlining.
const MAX_STATEMENTS: usize = 1 << 21;

/// The functions and variables of a module by name.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// All declared functions: whether they are kernels.
    pub(super) kinds: HashMap<&'a str, bool>,
    /// The functions with a body.
    pub(super) functions: HashMap<&'a str, &'a Function>,
    /// The variables in shared memory.
    pub(super) shared: HashMap<&'a str, &'a Variable>,
    /// The variables in device memory.
    pub(super) symbols: HashMap<String, Symbol>,
    /// The variables that no supported kernel can use, each with the reason.
    pub(super) refused: HashMap<String, String>,
    /// The number of statements and variables that remain of [`MAX_STATEMENTS`].
    pub(super) left: Cell<usize>,
}

impl<'a> Names<'a> {
    /// Collects the names of `tree`. `symbols` are the variables in device memory, and `refused` those of them that cannot be
    /// used. If a name is defined twice, the first definition is used.
    pub(crate) fn new(tree: &'a Tree, symbols: HashMap<String, Symbol>, refused: HashMap<String, String>) -> Self {
        let (mut functions, mut shared) = (HashMap::new(), HashMap::new());
        for function in tree.functions.iter().filter(|function| function.body.is_some()) {
            functions.entry(function.name.as_str()).or_insert(function);
        }
        for variable in tree.variables.iter().filter(|variable| variable.space == Space::Shared) {
            shared.entry(variable.name.as_str()).or_insert(variable);
        }
        let kinds = tree.functions.iter().map(|function| (function.name.as_str(), function.entry)).collect();
        Self { kinds, functions, shared, symbols, refused, left: Cell::new(MAX_STATEMENTS) }
    }
}
