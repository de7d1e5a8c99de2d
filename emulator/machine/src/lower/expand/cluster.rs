//! The barrier of the cluster, and the test for the block's own shared memory.

use super::super::special::Special;
use super::super::step::{Action, Uniform};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::cluster::Cluster;
use crate::isa::compare::Compare;
use crate::isa::logic::Logic;
use crate::isa::memory::Address;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::{Narrow, Predicate, Wide};

impl<'a> Expander<'a> {
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
