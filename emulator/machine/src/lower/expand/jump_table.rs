//! Jump tables, which become comparisons and branches.

use super::super::step::{Action, Guard, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::isa::compare::Compare;
use crate::isa::logic::Select;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind;

const N: OperandKind = OperandKind::Narrow;
const P: OperandKind = OperandKind::Predicate;

impl<'a> Expander<'a> {
    /// Expands `brx.idx`. A number beyond the end of the list, which PTX leaves undefined, selects the label that is last in
    /// the list for the first time.
    pub(super) fn jump_table(&mut self, frame: &mut Frame<'a>, operands: &'a [Operand]) -> Lowered<()> {
        if self.guard.is_some() {
            return self.unsupported("a jump table under a predicate");
        }
        let [index, Operand::Symbol(list, 0)] = operands else {
            return self.error("a jump table has a number and a list of labels");
        };
        let function = frame.function;
        let Some(labels) = function.branch_targets.get(list) else {
            return self.error(format!("`{list}` is not a list of labels"));
        };
        let index = self.source(frame, index, N)?;
        // Several numbers may select one label.
        let mut targets: Vec<&str> = Vec::new();
        for label in labels {
            if !targets.contains(&label.as_str()) {
                targets.push(label);
            }
        }
        let position = |label: &String| targets.iter().position(|target| target == label).unwrap_or(0) as u64;
        let mut target = self.uniform(N, Uniform::Literal(targets.len() as u64 - 1));
        for (number, label) in labels.iter().enumerate() {
            target = self.select(index, number as u64, position(label), target);
        }
        self.push(Action::CountBranch, &[], &[target]);
        for (number, label) in targets.iter().enumerate() {
            let (place, _) = self.is_equal(target, number as u64);
            let guard = (number + 1 < targets.len()).then_some(Guard { place, negated: false });
            let target = self.label(frame, label);
            self.push_with(guard, Action::Branch { target, reconverge: 0, visible: false }, &[], &[]);
        }
        Ok(())
    }

    /// Returns a predicate: whether a register is equal to a number.
    fn is_equal(&mut self, register: Placed, number: u64) -> Placed {
        let number = self.uniform(N, Uniform::Literal(number));
        self.value(Arithmetic::Compare(Compare::Eq32), P, &[register, number])
    }

    /// Returns `value` if the register is equal to a number, and `otherwise` if not.
    fn select(&mut self, register: Placed, number: u64, value: u64, otherwise: Placed) -> Placed {
        let equal = self.is_equal(register, number);
        let value = self.uniform(N, Uniform::Literal(value));
        self.value(Arithmetic::Select(Select::ByPredicate32), N, &[value, otherwise, equal])
    }
}
