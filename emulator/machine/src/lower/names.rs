//! The functions and variables that the code of a module refers to by name.

use super::edges::in_circles;
use crate::ground::space::Space;
use crate::ptx::tree::{Function, Instruction, Operand, Statement, Tree, Variable};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

/// A variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) space: Space,
    /// The device address of a global or constant variable. Unused for shared variables.
    pub(crate) address: u64,
}

/// The maximum number of statements and variables of all kernels of a module together, after inlining.
const MAX_STATEMENTS: usize = 1 << 21;

/// The address of the first function of a module. Device memory is above it, so no load of a function succeeds.
const FIRST_FUNCTION: u64 = 0x1000_0000;

/// The bytes from one function to the next.
const FUNCTION_BYTES: u64 = 16;

/// A function that is not inlined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee<'a> {
    pub(super) function: &'a Function,
    pub(super) address: u64,
    /// Whether it may be called again before it returns.
    pub(super) recursive: bool,
}

/// The functions and variables of a module by name.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// All declared functions: whether they are kernels.
    pub(super) kinds: HashMap<&'a str, bool>,
    /// The functions with a body.
    pub(super) functions: HashMap<&'a str, &'a Function>,
    /// The recursive functions.
    pub(super) recursive: HashMap<&'a str, Callee<'a>>,
    /// The functions whose address is used.
    pub(super) behind_pointers: Vec<Callee<'a>>,
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
        let mut functions = HashMap::new();
        let mut shared = HashMap::new();
        for function in tree.functions.iter().filter(|function| function.body.is_some()) {
            functions.entry(function.name.as_str()).or_insert(function);
        }
        for variable in tree.variables.iter().filter(|variable| variable.space == Space::Shared) {
            shared.entry(variable.name.as_str()).or_insert(variable);
        }
        let kinds = tree.functions.iter().map(|function| (function.name.as_str(), function.entry)).collect();
        let calls = Calls::new(tree);
        let recursive: HashMap<&str, &Function> =
            calls.recursive().into_iter().map(|function| (function.name.as_str(), function)).collect();
        let callee = |function: &'a Function| {
            let recursive = recursive.contains_key(function.name.as_str());
            Some(Callee { function, address: address_of(tree, &function.name)?, recursive })
        };
        let behind_pointers = calls.behind_pointers().into_iter().filter_map(callee).collect();
        let recursive = recursive.iter().filter_map(|(&name, &function)| Some((name, callee(function)?))).collect();
        let left = Cell::new(MAX_STATEMENTS);
        Self { kinds, functions, recursive, behind_pointers, shared, symbols, refused, left }
    }
}

/// Returns the address of a function with a body that is not a kernel.
pub(crate) fn address_of(tree: &Tree, name: &str) -> Option<u64> {
    let mut functions = tree.functions.iter().zip(0..);
    let found = functions.find(|(function, _)| function.name == name && function.body.is_some() && !function.entry);
    found.map(|(_, number): (_, u64)| FIRST_FUNCTION + FUNCTION_BYTES * number)
}

/// Which functions of a module call which, by their numbers in the order of the text.
struct Calls<'a> {
    functions: Vec<&'a Function>,
    /// The functions that each function calls. A number behind the last function stands for calls through pointers, which may
    /// reach all functions whose address is used.
    callees: Vec<Vec<usize>>,
}

impl<'a> Calls<'a> {
    fn new(tree: &'a Tree) -> Self {
        let functions: Vec<&Function> = tree.functions.iter().filter(|function| function.body.is_some()).collect();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (number, function) in functions.iter().enumerate() {
            numbers.entry(&function.name).or_insert(number);
        }
        let through_pointer = functions.len();
        let mut behind = BTreeSet::new();
        let held = tree.variables.iter().flat_map(|variable| &variable.addresses);
        behind.extend(held.filter_map(|address| numbers.get(address.name.as_str())));
        let mut callees = Vec::with_capacity(functions.len() + 1);
        for function in &functions {
            let mut called = Vec::new();
            for instruction in function.body.iter().flatten().filter_map(Statement::instruction) {
                let number = |operand: &Operand| match operand {
                    Operand::Symbol(name, _) => numbers.get(name.as_str()).copied(),
                    _ => None,
                };
                match callee_of(instruction) {
                    Some(Operand::Symbol(name, _)) => called.extend(numbers.get(name.as_str())),
                    Some(_) => called.push(through_pointer),
                    None => behind.extend(instruction.operands.iter().filter_map(number)),
                }
            }
            callees.push(called);
        }
        behind.retain(|&number| !functions[number].entry);
        callees.push(behind.into_iter().collect());
        Self { functions, callees }
    }

    /// Returns the functions that may be called again before they return, and those that are called between such functions.
    fn recursive(&self) -> Vec<&'a Function> {
        let recursive = self.functions.iter().zip(in_circles(&self.callees)).filter(|(_, recursive)| *recursive);
        recursive.map(|(function, _)| *function).collect()
    }

    /// Returns the functions whose address is used.
    fn behind_pointers(&self) -> Vec<&'a Function> {
        let numbers = self.callees.last().into_iter().flatten();
        numbers.map(|&number| self.functions[number]).collect()
    }
}

/// Returns the operand with the callee if an instruction is a call.
fn callee_of(instruction: &Instruction) -> Option<&Operand> {
    let mut operands = instruction.operands.iter().filter(|operand| !matches!(operand, Operand::Arguments(_)));
    operands.next().filter(|_| instruction.opcode.starts_with("call"))
}
