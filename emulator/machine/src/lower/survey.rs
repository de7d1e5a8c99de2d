//! A survey of a module's functions for unsupported instructions, before any kernel is lowered.

use super::expand::find;
use crate::ground::refusal::LoadError;
use crate::ptx::tree::{Function, Instruction, Operand, Statement, Tree};
use std::collections::{HashMap, HashSet};

/// The most lines of unsupported instructions in an error. Beyond, each opcode of a function has its first line only.
const MAX_LINES: usize = 20;

/// The unsupported instructions of a function, by line and opcode, and the functions that it calls.
#[derive(Debug, Default)]
struct Surveyed<'a> {
    unsupported: Vec<(u32, &'a str)>,
    called: Vec<&'a str>,
}

/// The functions of a module that have a body.
#[derive(Debug)]
pub(crate) struct Survey<'a>(HashMap<&'a str, Surveyed<'a>>);

impl<'a> Survey<'a> {
    /// Surveys all functions of a module.
    pub(crate) fn new(tree: &'a Tree) -> Self {
        let with_body = tree.functions.iter().filter(|function| function.body.is_some());
        Self(with_body.map(|function| (function.name.as_str(), Surveyed::new(function))).collect())
    }

    /// Fails if `kernel` or a function that it calls has unsupported instructions. The error lists all of them, or all opcodes.
    pub(crate) fn require_supported(&self, kernel: &Function) -> Result<(), LoadError> {
        let mut found: Vec<Unsupported<'_>> = Vec::new();
        let mut seen = HashSet::new();
        let mut next = vec![kernel.name.as_str()];
        while let Some(name) = next.pop() {
            if let (Some(function), true) = (self.0.get(name), seen.insert(name)) {
                found.extend(function.unsupported.iter().map(|&(line, opcode)| Unsupported {
                    line,
                    opcode,
                    function: name,
                }));
                next.extend(&function.called);
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        found.sort_unstable_by_key(|each| each.line);
        let count = if found.len() == 1 { "1 instruction".to_owned() } else { format!("{} instructions", found.len()) };
        Err(LoadError::Unsupported(format!("{count}:\n  {}", lines(&found).join("\n  "))))
    }
}

/// An unsupported instruction.
#[derive(Clone, Copy)]
struct Unsupported<'a> {
    line: u32,
    opcode: &'a str,
    function: &'a str,
}

/// Returns a line of text for each instruction, or for each opcode of a function if there are too many.
fn lines(found: &[Unsupported<'_>]) -> Vec<String> {
    let text = |each: &Unsupported<'_>| format!("line {}: `{}` in `{}`", each.line, each.opcode, each.function);
    if found.len() <= MAX_LINES {
        return found.iter().map(text).collect();
    }
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    found.iter().for_each(|each| *counts.entry((each.function, each.opcode)).or_default() += 1);
    let first = found.iter().filter_map(|each| Some((each, counts.remove(&(each.function, each.opcode))?)));
    first.map(|(each, count)| if count == 1 { text(each) } else { format!("{}, {count} times", text(each)) }).collect()
}

impl<'a> Surveyed<'a> {
    fn new(function: &'a Function) -> Self {
        let mut surveyed = Self::default();
        for instruction in function.body.iter().flatten().filter_map(Statement::instruction) {
            surveyed.add(instruction);
        }
        surveyed
    }

    fn add(&mut self, instruction: &'a Instruction) {
        let Instruction { opcode, operands, line, .. } = instruction;
        if find(opcode).is_none() {
            self.unsupported.push((*line, opcode));
        } else if opcode.starts_with("call") {
            self.called.extend(operands.iter().filter_map(|operand| match operand {
                Operand::Symbol(name, _) => Some(name.as_str()),
                _ => None,
            }));
        }
    }
}
