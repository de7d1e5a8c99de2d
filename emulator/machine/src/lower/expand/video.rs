//! Video instructions, whose operands name parts of registers.

use super::super::step::{Action, Guard, Uniform, Value};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::operation::Arithmetic;
use crate::isa::video::Video;
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::Narrow;

/// Splits an operand: into the register or constant, the name of its parts or nothing, and whether it is negated.
fn split(operand: &Operand) -> (Operand, &str, bool) {
    match operand {
        Operand::Selected { register, parts, negated } => (Operand::Register(*register), parts, *negated),
        whole => (whole.clone(), "", false),
    }
}

impl<'a> Expander<'a> {
    /// Expands a video instruction. The third operand has no parts.
    pub(super) fn video(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operation: Video,
        operands: &[Operand],
    ) -> Lowered<()> {
        let parts: Vec<(Operand, &str, bool)> = operands.iter().map(split).collect();
        let merges = parts.first().is_some_and(|(_, name, _)| !name.is_empty());
        let takes_three = operation.takes_three() || merges;
        let expected = if takes_three { 4 } else { 3 };
        let [result, a, b, third @ ..] = parts.as_slice() else {
            return self.error(format!("expected {expected} operands, found {}", operands.len()));
        };
        if operands.len() != expected {
            return self.error(format!("expected {expected} operands, found {}", operands.len()));
        }
        let negated = [a.2 != b.2, third.first().is_some_and(|third| third.2)];
        if result.2 || (a.2 || b.2 || negated[1]) && !operation.may_negate() || negated == [true; 2] {
            return self.error("an operand that cannot be negated");
        }
        if third.first().is_some_and(|third| !third.1.is_empty()) || merges && !operation.may_merge() {
            return self.error("an operand that has no parts");
        }
        let Some(step) = operation.step([result.1, a.1, b.1], negated) else {
            return self.error("parts of operands that this instruction does not have");
        };
        let mut sources =
            vec![(self.source(frame, &a.0, Narrow)?, Narrow), (self.source(frame, &b.0, Narrow)?, Narrow)];
        sources.push(match third {
            [(third, ..)] => (self.source(frame, third, Narrow)?, Narrow),
            _ => (self.uniform(Narrow, Uniform::Literal(0)), Narrow),
        });
        let result = (self.result(frame, &result.0, Narrow)?, Narrow);
        self.push(Action::Arithmetic(Arithmetic::Video(step)), guard, &[result], &sources);
        Ok(())
    }
}
