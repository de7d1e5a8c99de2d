//! Barriers, and what the lanes of a warp do together.

use super::super::step::{Action, Guard, Value};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::barrier::Barrier;
use crate::isa::exchange::Exchange;
use crate::isa::form::Shape;
use crate::ptx::tree::{Literal, Operand, Register};
use crate::vector::registers::OperandKind;

/// A value, and its register file.
type Placed = (Value, OperandKind);

impl<'a> Expander<'a> {
    /// A barrier of the block. The number of its threads may be left out; 0 then stands for all.
    pub(super) fn barrier(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Barrier,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        let mut operands = operands.to_vec();
        if operands.len() + 1 == shape.results.len() + shape.sources.len() {
            operands.insert(shape.results.len() + 1, Operand::Literal(Literal::Integer(0)));
        }
        self.collective(frame, guard, Action::Barrier(operation), shape, &operands)
    }

    /// What the lanes of a warp do together.
    pub(super) fn exchange(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Exchange,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        self.collective(frame, guard, Action::Exchange(operation), shape, operands)
    }

    /// A collective step. The lanes that a predicate leaves out go around it.
    fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        action: Action,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        let end = self.go_around(guard);
        let (results, rest) = self.collective_results(frame, shape, operands)?;
        if rest.len() != shape.sources.len() {
            return self.error(format!("{} sources where {} are expected", rest.len(), shape.sources.len()));
        }
        let mut sources = Vec::with_capacity(4);
        for (operand, &kind) in rest.iter().zip(shape.sources) {
            sources.push((self.source(frame, operand, kind)?, kind));
        }
        self.push(action, None, &results, &sources);
        end.into_iter().for_each(|end| self.set_label(end));
        Ok(())
    }

    /// Sends the lanes that a predicate leaves out to a label, which is to be set behind what they go around.
    pub(super) fn go_around(&mut self, guard: Option<Guard<Value>>) -> Option<u32> {
        let guard = guard?;
        let target = self.new_label();
        let around = Guard { negated: !guard.negated, ..guard };
        self.push(Action::Branch { target, reconverge: 0, visible: false }, Some(around), &[], &[]);
        Some(target)
    }

    /// The results, of which the second may be behind a bar or be left out, and the other operands.
    fn collective_results<'o>(
        &mut self,
        frame: &mut Frame<'a>,
        shape: &Shape,
        operands: &'o [Operand],
    ) -> Lowered<(Vec<Placed>, &'o [Operand])> {
        if shape.results.is_empty() {
            return Ok((Vec::new(), operands));
        }
        let Some((named, rest)) = operands.split_first() else { return self.error("no result") };
        let named = match named {
            Operand::Pair(first, second) => [*first, *second],
            Operand::Register(register) => [Some(*register), None],
            Operand::Nothing => [None, None],
            _ => return self.error("the first operand is not a register"),
        };
        let as_operand = |register: Option<Register>| register.map_or(Operand::Nothing, Operand::Register);
        let mut results = Vec::with_capacity(2);
        for (register, &kind) in named.into_iter().zip(shape.results) {
            results.push((self.result(frame, &as_operand(register), kind)?, kind));
        }
        Ok((results, rest))
    }
}
