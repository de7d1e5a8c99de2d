//! Branches, jump tables, which become comparisons and branches, exits, and calls, which are inlined.

use super::super::step::{Action, Guard, Uniform};
use super::expander::{End, Expander, Frame, Lowered, Placed};
use crate::isa::compare::Compare;
use crate::isa::flow::Flow;
use crate::isa::logic::Select;
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::{Function, Literal, Operand};
use crate::vector::registers::OperandKind;

/// The maximum depth of inlined calls. Deeper calls are refused.
const MAX_CALL_DEPTH: usize = 64;

/// The reason to refuse calls whose function is known only when the kernel runs.
pub(super) const THROUGH_POINTER: &str = "a call through a function pointer, or of a virtual function";

impl<'a> Expander<'a> {
    /// Expands control flow, and the waits of single threads.
    pub(super) fn flow(&mut self, frame: &mut Frame<'a>, operation: Flow, operands: &'a [Operand]) -> Lowered<()> {
        let action = match operation {
            Flow::Branch => {
                let [Operand::Symbol(name, 0)] = operands else { return self.error("a branch has one label") };
                let target = self.label(frame, name);
                self.branch(target);
                return Ok(());
            }
            Flow::JumpTable => return self.jump_table(frame, operands),
            Flow::Call => return self.call(frame, operands),
            Flow::Return => match frame.end {
                End::Inlined(target) => {
                    self.branch(target);
                    return Ok(());
                }
                End::Subroutine => Action::Return,
                End::Kernel => Action::Exit,
            },
            Flow::Exit => Action::Exit,
            Flow::Trap => Action::Trap,
            Flow::Fence(scope) => Action::Fence(scope),
            Flow::ProxyFence => Action::ProxyFence,
            Flow::Nothing => Action::Nothing,
            Flow::SetRegisters => {
                let valid = |count: &u64| (24..=256).contains(count) && count.is_multiple_of(8);
                match operands {
                    [Operand::Literal(Literal::Integer(count))] if valid(count) => {
                        Action::SetRegisters { count: *count as u32 }
                    }
                    _ => {
                        return self
                            .error("the number of registers must be a constant from 24 to 256, a multiple of 8");
                    }
                }
            }
        };
        self.push(action, &[], &[]);
        Ok(())
    }

    fn branch(&mut self, target: u32) {
        self.push(Action::Branch { target, reconverge: 0, visible: true }, &[], &[]);
    }

    /// Expands a call: inlines the function unless it is recursive or behind a pointer.
    fn call(&mut self, frame: &mut Frame<'a>, operands: &'a [Operand]) -> Lowered<()> {
        if self.guard.is_some() {
            return self.unsupported("a call under a predicate");
        }
        let (results, operands) = match operands {
            [Operand::Arguments(results), rest @ ..] => (results.as_slice(), rest),
            _ => (&[][..], operands),
        };
        let Some((callee, rest)) = operands.split_first() else { return self.error("a call without a function") };
        // The prototype or the list of functions of a call through a pointer is last.
        let arguments = match rest {
            [Operand::Arguments(arguments), ..] => arguments.as_slice(),
            _ => &[][..],
        };
        let Operand::Symbol(name, 0) = callee else {
            return self.call_pointer(frame, callee, results, arguments);
        };
        let names = self.names;
        let Some(&callee) = names.functions.get(name.as_str()) else {
            return self.built_in(frame, name, results, arguments);
        };
        if results.len() != callee.results.len() || arguments.len() != callee.parameters.len() {
            return self.error(format!("a call of `{name}` with the wrong number of arguments"));
        }
        match names.recursive.get(name.as_str()) {
            Some(&recursive) => self.call_subroutine(frame, recursive, results, arguments),
            None => self.inline(frame, callee, results, arguments),
        }
    }

    /// Inlines a call. The parameters of the callee become the variables that the caller passes.
    fn inline(
        &mut self,
        frame: &Frame<'a>,
        callee: &'a Function,
        results: &'a [Operand],
        arguments: &'a [Operand],
    ) -> Lowered<()> {
        if self.depth == MAX_CALL_DEPTH {
            let name = &callee.name;
            return self.unsupported(&format!("more than {MAX_CALL_DEPTH} nested calls, through `{name}`"));
        }
        let end = self.new_label();
        let mut inner = Frame::new(callee, End::Inlined(end));
        let formal = callee.results.iter().chain(&callee.parameters);
        let actual = results.iter().chain(arguments);
        for (formal, actual) in formal.zip(actual) {
            let Operand::Symbol(argument, 0) = actual else {
                return self.error("an argument is not a `.param` variable");
            };
            let Some(&place) = frame.variables.get(argument.as_str()) else {
                return self.error(format!("`{argument}` is not declared"));
            };
            inner.variables.insert(&formal.name, place);
        }
        self.push(Action::Nothing, &[], &[]);
        self.depth += 1;
        self.function(&mut inner)?;
        self.depth -= 1;
        self.set_label(end);
        Ok(())
    }
}

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
