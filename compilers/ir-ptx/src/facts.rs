//! The definitions of a function's values.

use crate::flow::Flow;
use crate::ir::tree::{BlockId, Flags, Function, Id, Instruction, Operation, Value};
use crate::ir::types::Type;

/// The makers of a function's values.
pub(crate) struct Facts<'a> {
    pub(crate) function: &'a Function,
    pub(crate) flow: Flow,
    made_by: Vec<Option<&'a Instruction>>,
    home: Vec<BlockId>,
}

/// A value that a row makes.
#[derive(Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) name: &'static str,
    pub(crate) flags: Flags,
    pub(crate) operands: &'a [(Type, Value)],
}

impl<'a> Facts<'a> {
    pub(crate) fn new(function: &'a Function) -> Self {
        let flow = Flow::from_function(function);
        let mut made_by = vec![None; function.ids];
        let mut home = vec![0; function.ids];
        for (at, block) in function.blocks.iter().enumerate() {
            for inst in &block.body {
                for &id in &inst.results {
                    (made_by[id], home[id]) = (Some(inst), at);
                }
            }
        }
        Self { function, flow, made_by, home }
    }

    /// Returns the block that makes a value: the entry for a parameter.
    pub(crate) fn home(&self, id: Id) -> BlockId {
        self.home[id]
    }

    pub(crate) fn operation(&self, id: Id) -> Option<&'a Operation> {
        self.made_by[id].map(|inst| &inst.operation)
    }

    /// Returns how a row makes a value.
    pub(crate) fn made(&self, value: &Value) -> Option<Made<'a>> {
        let Value::Local(id) = value else { return None };
        match self.operation(*id)? {
            Operation::Row { row, flags, operands, .. } => Some(Made { name: row.name, flags: *flags, operands }),
            _ => None,
        }
    }

    /// Returns the values that a phi chooses from.
    pub(crate) fn phi(&self, id: Id) -> Option<&'a [(Value, BlockId)]> {
        match self.operation(id)? {
            Operation::Phi { from, .. } => Some(from),
            _ => None,
        }
    }
}
