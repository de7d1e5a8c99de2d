//! A survey of a module's functions for unsupported instructions, before any kernel is lowered.

use super::expand::find;
use crate::ground::refusal::LoadError;
use crate::ptx::tree::{Function, Instruction, Operand, Statement, Tree};
use std::collections::{HashMap, HashSet};

/// The unsupported instructions of a function, by line, and the functions that it calls.
#[derive(Debug, Default)]
struct Surveyed<'a> {
    unsupported: Vec<(u32, String)>,
    called: Vec<&'a str>,
}

/// The functions of a module that have a body.
#[derive(Debug)]
pub(crate) struct Survey<'a>(HashMap<&'a str, Surveyed<'a>>);

impl<'a> Survey<'a> {
    /// Surveys all functions of a module.
    pub(crate) fn of(tree: &'a Tree) -> Self {
        let with_body = tree.functions.iter().filter(|function| function.body.is_some());
        Self(with_body.map(|function| (function.name.as_str(), Surveyed::of(function))).collect())
    }

    /// Fails if `kernel` or a function that it calls has unsupported instructions. The error lists all of them.
    pub(crate) fn require_supported(&self, kernel: &Function) -> Result<(), LoadError> {
        let mut lines: Vec<&(u32, String)> = Vec::new();
        let (mut seen, mut next) = (HashSet::new(), vec![kernel.name.as_str()]);
        while let Some(name) = next.pop() {
            if let (Some(function), true) = (self.0.get(name), seen.insert(name)) {
                lines.extend(&function.unsupported);
                next.extend(&function.called);
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        lines.sort_unstable();
        let lines: Vec<&str> = lines.into_iter().map(|(_, text)| text.as_str()).collect();
        let count = if lines.len() == 1 { "1 instruction".to_owned() } else { format!("{} instructions", lines.len()) };
        Err(LoadError::Unsupported(format!("{count}:\n  {}", lines.join("\n  "))))
    }
}

impl<'a> Surveyed<'a> {
    fn of(function: &'a Function) -> Self {
        let mut surveyed = Self::default();
        for instruction in function.body.iter().flatten().filter_map(Statement::instruction) {
            surveyed.add(instruction, &function.name);
        }
        surveyed
    }

    fn add(&mut self, instruction: &'a Instruction, function: &str) {
        let Instruction { opcode, operands, line, .. } = instruction;
        if find(opcode).is_none() {
            self.unsupported.push((*line, format!("line {line}: `{opcode}` in `{function}`")));
        } else if opcode.starts_with("call") {
            self.called.extend(operands.iter().filter_map(|operand| match operand {
                Operand::Symbol(name, _) => Some(name.as_str()),
                _ => None,
            }));
        }
    }
}
