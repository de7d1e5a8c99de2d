//! Barriers in shared memory (mbarriers).

use super::super::step::Action;
use super::expander::{Expander, Frame, Lowered};
use crate::isa::mbarrier::{Arrival, Mbarrier, MbarrierAction};
use crate::ptx::tree::{Literal, Operand};
use crate::vector::registers::OperandKind::{Narrow, Predicate, Wide};

/// The default number of arrivals.
const ONCE: Operand = Operand::Literal(Literal::Integer(1));

impl<'a> Expander<'a> {
    pub(super) fn mbarrier(&mut self, frame: &mut Frame<'a>, operation: Mbarrier, operands: &[Operand]) -> Lowered<()> {
        use MbarrierAction as A;
        let (result, address, second) = match (operation.action, operands) {
            (A::Initialize | A::Expect, [address, count]) => (None, address, Some((count, Narrow))),
            (A::Invalidate | A::ArriveAfterCopies { .. }, [address]) => (None, address, None),
            (A::Arrive(Arrival { expects: false, no_complete: false, .. }), [state, address]) => {
                (Some((state, Wide)), address, Some((&ONCE, Narrow)))
            }
            (A::Arrive(_), [state, address, count]) => (Some((state, Wide)), address, Some((count, Narrow))),
            // A time limit may follow.
            (A::Test { parity, waits }, [over, address, phase, rest @ ..]) if rest.len() <= usize::from(waits) => {
                (Some((over, Predicate)), address, Some((phase, if parity { Narrow } else { Wide })))
            }
            _ => return self.error("wrong number of operands"),
        };
        let mut results = Vec::new();
        if let Some((operand, kind)) = result {
            results.push(self.result(frame, operand, kind)?);
        }
        let mut sources = vec![self.shared_address(frame, operation.generic, address)?];
        if let Some((operand, kind)) = second {
            sources.push(self.source(frame, operand, kind)?);
        }
        self.push(Action::Mbarrier(operation), &results, &sources);
        Ok(())
    }
}
