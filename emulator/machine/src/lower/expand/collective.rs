//! Barriers of the block, and collective instructions of a warp.

use super::super::special::Special;
use super::super::step::{Action, Guard, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::isa::barrier::Barrier;
use crate::isa::cluster::Cluster;
use crate::isa::compare::Compare;
use crate::isa::form::Shape;
use crate::isa::logic::Logic;
use crate::isa::memory::Address;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::{Literal, Operand, Register};
use crate::vector::registers::OperandKind::{Narrow, Predicate, Wide};

impl<'a> Expander<'a> {
    /// Expands a barrier of the block. The number of threads is optional: 0 stands for all.
    pub(super) fn barrier(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Barrier,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        let mut operands = operands.to_vec();
        if operands.len() + 1 == shape.results.len() + shape.sources.len() {
            operands.insert(shape.results.len() + 1, Operand::Literal(Literal::Integer(0)));
        }
        self.collective(frame, Action::Barrier(operation), shape, &operands)
    }

    /// Expands a collective step. Lanes whose predicate is false jump over it.
    pub(super) fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        action: Action,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        let end = self.go_around();
        let (results, rest) = self.collective_results(frame, shape, operands)?;
        if rest.len() != shape.sources.len() {
            return self.error(format!("expected {} sources, found {}", shape.sources.len(), rest.len()));
        }
        let mut sources = Vec::with_capacity(4);
        for (operand, &kind) in rest.iter().zip(shape.sources) {
            sources.push(self.source(frame, operand, kind)?);
        }
        self.push(action, &results, &sources);
        end.into_iter().for_each(|end| self.set_label(end));
        Ok(())
    }

    /// Makes lanes whose predicate is false jump to the returned label, which the caller sets after the guarded steps. The
    /// steps themselves need no guard.
    pub(super) fn go_around(&mut self) -> Option<u32> {
        let guard = self.guard.take()?;
        let target = self.new_label();
        let around = Guard { negated: !guard.negated, ..guard };
        self.push_with(Some(around), Action::Branch { target, reconverge: 0, visible: false }, &[], &[]);
        Some(target)
    }

    /// Returns the results, of which the second is written after a bar and is optional, and the other operands.
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
            results.push(self.result(frame, &as_operand(register), kind)?);
        }
        Ok((results, rest))
    }

    pub(super) fn cluster(&mut self, frame: &mut Frame<'a>, operation: Cluster, operands: &[Operand]) -> Lowered<()> {
        match (operation, operands) {
            (Cluster::Barrier(barrier), []) => {
                let end = self.go_around();
                self.push(Action::ClusterBarrier(barrier), &[], &[]);
                end.into_iter().for_each(|end| self.set_label(end));
                Ok(())
            }
            (Cluster::IsOwnShared, [result, address]) => self.is_own_shared(frame, [result, address]),
            _ => self.error("wrong number of operands"),
        }
    }

    /// Expands `isspacep.shared`: whether the address is in shared memory, and has the block's rank.
    fn is_own_shared(&mut self, frame: &mut Frame<'a>, [result, address]: [&Operand; 2]) -> Lowered<()> {
        let address = self.source(frame, address, Wide)?;
        let own_rank = self.uniform(Narrow, Uniform::Special(Special::ClusterRank));
        let rank = self.temporary(Narrow);
        let [shared, own] = [(); 2].map(|()| self.temporary(Predicate));
        let result = self.result(frame, result, Predicate)?;
        for (operation, result, sources) in [
            (Arithmetic::Address(Address::Rank64), rank, &[address][..]),
            (Arithmetic::Compare(Compare::Eq32), own, &[rank, own_rank]),
            (Arithmetic::Address(Address::IsSharedOfCluster), shared, &[address]),
            (Arithmetic::Logic(Logic::AndPredicate), result, &[shared, own]),
        ] {
            self.push(Action::Arithmetic(operation), &[result], sources);
        }
        Ok(())
    }
}
