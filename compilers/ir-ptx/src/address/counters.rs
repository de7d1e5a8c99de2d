//! Loop counters: phis that grow by the same step in each iteration.

use crate::facts::Facts;
use crate::ir::tree::{BlockId, Id, Value};
use crate::ir::types::Type;

/// How an integer becomes one of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Widen {
    Signed,
    Unsigned,
    /// It has 64 bits.
    Not,
}

/// A phi that a loop moves on.
pub(crate) struct Counter<'a> {
    /// The block before the loop.
    pub(crate) before: BlockId,
    /// The header of the loop.
    pub(crate) header: BlockId,
    /// The block that goes back to the header.
    pub(crate) latch: BlockId,
    pub(crate) start: &'a Value,
    pub(crate) step: &'a Value,
    nsw: bool,
    nuw: bool,
}

impl Counter<'_> {
    /// Whether the counter, widened, moves on by the widened step.
    pub(crate) fn is_exact(&self, widen: Widen) -> bool {
        match widen {
            Widen::Not => true,
            Widen::Signed => self.nsw,
            // A step down is a large unsigned number.
            Widen::Unsigned => self.nuw && !matches!(self.step, Value::Integer(..0)),
        }
    }
}

impl<'a> Facts<'a> {
    /// Returns what counts with a phi, if a loop does.
    pub(crate) fn counter(&self, id: Id) -> Option<Counter<'a>> {
        let from = self.phi(id)?;
        let around = self.flow.loop_at(self.home(id))?;
        let before = around.before?;
        let latch = around.latch?;
        let value_from = |block: BlockId| from.iter().find(|(_, from)| *from == block).map(|(value, _)| value);
        let start = value_from(before)?;
        let next = value_from(latch)?;
        let next = self.made(next)?;
        let ([(Type::Integer(32 | 64), of), (_, step)], "add") = (next.operands, next.name) else { return None };
        let fixed = match step {
            Value::Integer(_) => true,
            Value::Local(step) => !around.blocks.contains(&self.home(*step)),
            _ => false,
        };
        let counter =
            Counter { before, header: around.header, latch, start, step, nsw: next.flags.nsw, nuw: next.flags.nuw };
        (fixed && *of == Value::Local(id)).then_some(counter)
    }
}
