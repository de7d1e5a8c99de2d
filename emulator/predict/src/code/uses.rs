//! The instructions that use the result of another one, which decides whether ptxas folds it into them.

use emulator::{ListedInstruction, Listing};
use std::collections::{HashMap, HashSet};

/// The opcodes of the instructions that read and write each register.
pub(crate) struct Uses<'a> {
    readers: HashMap<u32, Vec<&'a str>>,
    writers: HashMap<u32, Vec<&'a str>>,
    /// The registers that moves of literals write, such as addresses of variables.
    literals: HashSet<u32>,
}

impl<'a> Uses<'a> {
    /// Collects the uses of a kernel's registers.
    pub(crate) fn new(listing: &'a Listing) -> Self {
        let mut uses = Self { readers: HashMap::new(), writers: HashMap::new(), literals: HashSet::new() };
        for instruction in listing.blocks.iter().flatten() {
            let opcode = instruction.opcode.as_str();
            if opcode.starts_with("mov.") && instruction.literal.is_some() && instruction.reads.is_empty() {
                uses.literals.extend(&instruction.writes);
            }
            instruction.reads.iter().for_each(|register| uses.readers.entry(*register).or_default().push(opcode));
            instruction.writes.iter().for_each(|register| uses.writers.entry(*register).or_default().push(opcode));
        }
        uses
    }

    /// Returns whether there are instructions that read the result, and `is_such` holds for the opcode of each.
    pub(crate) fn all(&self, instruction: &ListedInstruction, is_such: impl Fn(&str) -> bool) -> bool {
        let readers = instruction.writes.first().and_then(|register| self.readers.get(register));
        readers.is_some_and(|readers| !readers.is_empty() && readers.iter().all(|opcode| is_such(opcode)))
    }

    /// Returns whether exactly one instruction reads the result, once, and `is_such` holds for its opcode.
    pub(crate) fn only(&self, instruction: &ListedInstruction, is_such: impl Fn(&str) -> bool) -> bool {
        let readers = instruction.writes.first().and_then(|register| self.readers.get(register));
        readers.is_some_and(|readers| readers.len() == 1 && is_such(readers[0]))
    }

    /// Returns whether a source is the result of an instruction whose opcode `is_such`.
    pub(crate) fn reads_result_of(&self, instruction: &ListedInstruction, is_such: impl Fn(&str) -> bool) -> bool {
        let is_written =
            |register: &u32| self.writers.get(register).is_some_and(|all| all.iter().any(|op| is_such(op)));
        instruction.reads.iter().any(is_written)
    }

    /// Returns whether a source is a literal, or a register that was written once, with a literal.
    pub(crate) fn reads_constant(&self, instruction: &ListedInstruction) -> bool {
        let is_once = |register: &u32| self.writers.get(register).is_some_and(|writers| writers.len() == 1);
        let is_literal = |register: &u32| self.literals.contains(register) && is_once(register);
        instruction.literal.is_some() || instruction.reads.iter().any(is_literal)
    }

    /// Returns whether any instruction reads a register.
    pub(crate) fn is_read(&self, register: u32) -> bool {
        self.readers.contains_key(&register)
    }
}
