//! Jump tables, which become comparisons and branches.

use super::super::step::{Action, Guard, Uniform, Value};
use super::expander::{Expander, Frame, Lowered};
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
    pub(super) fn jump_table(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard<Value>>,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        if guard.is_some() {
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
        self.push(Action::CountBranch, None, &[], &[(target, N)]);
        for (number, label) in targets.iter().enumerate() {
            let place = self.is_equal(target, number as u64);
            let guard = (number + 1 < targets.len()).then_some(Guard { place, negated: false });
            let target = self.label(frame, label);
            self.push(Action::Branch { target, reconverge: 0, visible: false }, guard, &[], &[]);
        }
        Ok(())
    }

    /// Returns a predicate: whether a register is equal to a number.
    fn is_equal(&mut self, register: Value, number: u64) -> Value {
        let equal = self.temporary(P);
        let number = self.uniform(N, Uniform::Literal(number));
        let compare = Action::Arithmetic(Arithmetic::Compare(Compare::Eq32));
        self.push(compare, None, &[(equal, P)], &[(register, N), (number, N)]);
        equal
    }

    /// Returns `value` if the register is equal to a number, and `otherwise` if not.
    fn select(&mut self, register: Value, number: u64, value: u64, otherwise: Value) -> Value {
        let equal = self.is_equal(register, number);
        let chosen = self.temporary(N);
        let value = self.uniform(N, Uniform::Literal(value));
        let select = Action::Arithmetic(Arithmetic::Select(Select::ByPredicate32));
        self.push(select, None, &[(chosen, N)], &[(value, N), (otherwise, N), (equal, P)]);
        chosen
    }
}
