//! The selector: what all parts of the selection share.

use super::fusion::Fusion;
use crate::address::counters::Widen;
use crate::address::spaces::Spaces;
use crate::address::terms::{Addresses, Base, Term};
use crate::code::{Block, Class, Inst, Local, Operand, Register};
use crate::facts::Facts;
use crate::ir::tree::{BlockId, Id, Place};
use crate::ir::types::Type;
use std::collections::HashMap;

/// The selected code, or the construct that is not supported.
pub(crate) type Selected<T> = Result<T, String>;

/// The common part of addresses that differ only in their byte offsets.
pub(super) type Sum = (Base, Vec<Term>);

/// Registers that hold the same in all blocks below the one that each was made in.
pub(super) type Known = Vec<(BlockId, Register)>;

/// Selects the instructions of a function.
pub(crate) struct Selector<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) spaces: Spaces<'a>,
    pub(super) blocks: Vec<Block>,
    pub(super) classes: Vec<Class>,
    /// The registers of values.
    pub(super) values: HashMap<Id, Operand>,
    /// Registers whose upper bits are known: they extend a number of so many bits, by its sign if it is so.
    pub(super) extended: HashMap<Register, (u32, bool)>,
    /// Multiplications that become a part of an addition.
    pub(super) fusions: HashMap<Id, Fusion>,
    /// Multiplications of integers with one use, which a `mad` is.
    pub(super) single: Vec<bool>,
    pub(super) sums: HashMap<Sum, Known>,
    /// The block above all those that need a sum.
    pub(super) needed: HashMap<Sum, BlockId>,
    pub(super) products: HashMap<(Id, Widen, i64), Known>,
    pub(super) negatives: HashMap<Register, Known>,
    /// Additions that belong to the ends of blocks.
    pub(super) at_end: Vec<(BlockId, Inst)>,
    pub(super) locals: Vec<Local>,
    /// The block to which instructions are added.
    pub(super) block: BlockId,
    pub(super) place: Option<Place>,
}

impl<'a> Selector<'a> {
    /// Returns the class of the registers of a type.
    pub(super) fn class(ty: &Type) -> Selected<Class> {
        Ok(match ty {
            Type::Integer(1) => Class::Predicate,
            Type::Integer(..=32) | Type::Float => Class::B32,
            Type::Integer(..=64) | Type::Double | Type::Pointer(_) => Class::B64,
            Type::Half => Class::B16,
            _ => return Err(format!("a value of type `{ty}`")),
        })
    }

    pub(super) fn addresses(&self) -> Addresses<'_, 'a> {
        Addresses { facts: &self.facts, spaces: &self.spaces }
    }

    pub(super) fn fresh(&mut self, class: Class) -> Register {
        self.classes.push(class);
        self.classes.len() - 1
    }

    /// Returns the register of a value that has none yet.
    pub(super) fn result(&mut self, id: Id, ty: &Type) -> Selected<Register> {
        if let Some(Operand::Register(register)) = self.values.get(&id) {
            return Ok(*register);
        }
        let register = self.fresh(Self::class(ty)?);
        self.values.insert(id, Operand::Register(register));
        Ok(register)
    }

    /// Appends an instruction that is more than its results.
    pub(super) fn push(&mut self, text: impl Into<String>, results: usize, operands: Vec<Operand>) {
        self.append(text.into(), results, operands, false);
    }

    pub(super) fn append(&mut self, text: String, results: usize, operands: Vec<Operand>, pure: bool) {
        let place = self.place;
        self.blocks[self.block].body.push(Inst { text, results, operands, pure, early: false, place });
    }

    /// Appends an instruction `op to, operands…` that makes a register.
    pub(super) fn make(&mut self, op: &str, to: Register, operands: &[Operand]) {
        let list: Vec<String> = (0..=operands.len()).map(|number| format!("${number}")).collect();
        let all = [&[Operand::Register(to)], operands].concat();
        self.append(format!("{op} {};", list.join(", ")), 1, all, true);
    }

    /// Appends an instruction that makes a new register.
    pub(super) fn made(&mut self, op: &str, class: Class, operands: &[Operand]) -> Register {
        let to = self.fresh(class);
        self.make(op, to, operands);
        to
    }

    /// Calls `action` with instructions added to another block.
    pub(super) fn in_block<T>(&mut self, block: BlockId, action: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::replace(&mut self.block, block);
        let place = self.place;
        if here != block {
            // An instruction that was moved belongs to no line.
            self.place = None;
        }
        let answer = action(self);
        (self.block, self.place) = (here, place);
        answer
    }

    /// Returns the register of those known that holds in the current block.
    pub(super) fn holding(&self, known: Option<&Known>) -> Option<Register> {
        let flow = &self.facts.flow;
        known?.iter().find(|(home, _)| flow.dominates(*home, self.block)).map(|(_, register)| *register)
    }
}
