//! Branches, barriers, collective instructions, and calls, which are inlined.

use super::super::step::{Action, Guard, Uniform};
use super::{Expander, Frame, Lowered, MAX_CALL_DEPTH};
use crate::ground::space::Space;
use crate::isa::control::{Combine, ControlOperation, Vote};
use crate::isa::memory::{Element, MemoryOperation, Strength};
use crate::ptx::tree::{Literal, Operand, Register};
use crate::vector::registers::OperandKind;
use crate::vector::registers::Place;

/// CUDA's function for an assertion that does not hold: text, file, line, function, and the size of a character.
const ASSERT_FAILS: &str = "__assertfail";

impl<'a> Expander<'a> {
    pub(super) fn control(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: ControlOperation,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        match operation {
            ControlOperation::Branch => {
                let [Operand::Symbol(name, 0)] = operands else { return self.error("a branch has one label") };
                let target = self.label(frame, name);
                self.branch(target, guard);
                Ok(())
            }
            ControlOperation::Call => self.call(frame, guard, operands),
            ControlOperation::Return if frame.end.is_some() => {
                let target = frame.end.unwrap_or_default();
                self.branch(target, guard);
                Ok(())
            }
            ControlOperation::Return => {
                self.push(Action::Control(ControlOperation::Exit), guard, &[], &[]);
                Ok(())
            }
            ControlOperation::Exit | ControlOperation::Trap | ControlOperation::Fence | ControlOperation::Nothing => {
                self.push(Action::Control(operation), guard, &[], &[]);
                Ok(())
            }
            _ => match guard {
                Some(guard) => self.guarded_collective(frame, guard, operation, operands),
                None => self.collective(frame, operation, operands),
            },
        }
    }

    fn branch(&mut self, target: u32, guard: Option<Guard>) {
        self.push(Action::Branch { target, reconverge: 0, visible: true }, guard, &[], &[]);
    }

    /// A collective step under a predicate: the lanes that it leaves out go around it.
    fn guarded_collective(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Guard,
        operation: ControlOperation,
        operands: &[Operand],
    ) -> Lowered<()> {
        self.out.labels.push(None);
        let end = self.out.labels.len() as u32 - 1;
        let around = Guard { negated: !guard.negated, ..guard };
        self.push(Action::Branch { target: end, reconverge: 0, visible: false }, Some(around), &[], &[]);
        self.collective(frame, operation, operands)?;
        self.out.labels[end as usize] = Some(self.out.steps.len() as u32);
        Ok(())
    }

    /// Barriers, and what the lanes of a warp do together.
    fn collective(&mut self, frame: &mut Frame<'a>, operation: ControlOperation, operands: &[Operand]) -> Lowered<()> {
        use ControlOperation as C;
        use OperandKind::{Narrow as N, Predicate as P};
        let value = match operands.get(1) {
            Some(operand) if matches!(operation, C::MatchAny | C::MatchAll) => self.kind_of(frame, operand)?,
            _ => N,
        };
        // Result kinds, an optional second predicate result, and source kinds.
        let (result, second, sources): (Option<OperandKind>, bool, &[OperandKind]) = match operation {
            C::Barrier { .. } | C::BarrierArrive => (None, false, &[N, N]),
            C::BarrierReduce(Combine::Count) => (Some(N), false, &[N, N, P]),
            C::BarrierReduce(_) => (Some(P), false, &[N, N, P]),
            C::WarpBarrier => (None, false, &[N]),
            C::Shuffle(_) => (Some(N), true, &[N, N, N, N]),
            C::Vote(Vote::Ballot) => (Some(N), false, &[P, N]),
            C::Vote(_) => (Some(P), false, &[P, N]),
            C::MatchAny => (Some(N), false, &[value, N]),
            C::MatchAll => (Some(N), true, &[value, N]),
            C::Reduce(_) => (Some(N), false, &[N, N]),
            _ => (Some(N), false, &[]),
        };
        let (mut results, mut rest) = (Vec::with_capacity(2), operands);
        if let Some(kind) = result {
            let Some((first, tail)) = operands.split_first() else { return self.error("no result") };
            rest = tail;
            let (first, predicate) = match first {
                Operand::Pair(first, predicate) => (*first, *predicate),
                Operand::Register(register) => (Some(*register), None),
                Operand::Nothing => (None, None),
                _ => return self.error("the first operand is not a register"),
            };
            let as_operand = |register: Option<Register>| register.map_or(Operand::Nothing, Operand::Register);
            results.push((self.result(frame, &as_operand(first), kind)?, kind));
            if second {
                results.push((self.result(frame, &as_operand(predicate), P)?, P));
            }
        }
        let places = self.collective_sources(frame, operation, sources, rest)?;
        self.push(Action::Control(operation), None, &results, &places);
        Ok(())
    }

    fn collective_sources(
        &mut self,
        frame: &mut Frame<'a>,
        operation: ControlOperation,
        kinds: &[OperandKind],
        operands: &[Operand],
    ) -> Lowered<Vec<(Place, OperandKind)>> {
        use ControlOperation as C;
        // The number of threads of a barrier may be left out; 0 then stands for all.
        let barrier = matches!(operation, C::Barrier { .. } | C::BarrierArrive | C::BarrierReduce(_));
        let all = Operand::Literal(Literal::Integer(0));
        let mut operands: Vec<&Operand> = operands.iter().collect();
        if barrier && operands.len() + 1 == kinds.len() {
            operands.insert(1, &all);
        }
        if operands.len() != kinds.len() {
            return self.error(format!("{} sources where {} are expected", operands.len(), kinds.len()));
        }
        let mut places = Vec::with_capacity(4);
        for (operand, &kind) in operands.into_iter().zip(kinds) {
            places.push((self.source(frame, operand, kind)?, kind));
        }
        Ok(places)
    }

    /// Inlines a call: the parameters of the callee are the variables that the caller named.
    fn call(&mut self, frame: &mut Frame<'a>, guard: Option<Guard>, operands: &'a [Operand]) -> Lowered<()> {
        if guard.is_some() {
            return self.unsupported("a call under a predicate");
        }
        let (results, operands) = match operands {
            [Operand::Arguments(results), rest @ ..] => (results.as_slice(), rest),
            _ => (&[][..], operands),
        };
        let [Operand::Symbol(name, 0), rest @ ..] = operands else {
            return self.unsupported("a call through a pointer");
        };
        let arguments = match rest {
            [] => &[][..],
            [Operand::Arguments(arguments)] => arguments.as_slice(),
            _ => return self.unsupported("a call through a pointer"),
        };
        if name == ASSERT_FAILS {
            return self.assertion_failed(frame, arguments);
        }
        let names = self.names;
        let Some(&callee) = names.functions.get(name.as_str()) else {
            return self.unsupported(&format!("a call of `{name}`, whose code is not in the module"));
        };
        if self.depth == MAX_CALL_DEPTH {
            return self
                .unsupported(&format!("recursion, or calls nested more than {MAX_CALL_DEPTH} deep, through `{name}`"));
        }
        self.out.labels.push(None);
        let end = self.out.labels.len() as u32 - 1;
        let mut inner = Frame::new(callee, Some(end));
        let formal = callee.results.iter().chain(&callee.parameters);
        let actual: Vec<_> = results.iter().chain(arguments).collect();
        if actual.len() != callee.results.len() + callee.parameters.len() {
            return self.error(format!("a call of `{name}` with another number of arguments"));
        }
        for (formal, actual) in formal.zip(actual) {
            let Operand::Symbol(argument, 0) = actual else {
                return self.error("an argument is not a `.param` variable");
            };
            let Some(&place) = frame.variables.get(argument.as_str()) else {
                return self.error(format!("`{argument}` is not declared"));
            };
            inner.variables.insert(&formal.name, place);
        }
        self.push(Action::Control(ControlOperation::Nothing), None, &[], &[]);
        self.depth += 1;
        self.function(&mut inner)?;
        self.depth -= 1;
        self.out.labels[end as usize] = Some(self.out.steps.len() as u32);
        Ok(())
    }

    /// Loads what the failed assertion says about itself, and stops.
    fn assertion_failed(&mut self, frame: &mut Frame<'a>, arguments: &'a [Operand]) -> Lowered<()> {
        let [text, file, line, function, _character] = arguments else {
            return self.error(format!("a call of `{ASSERT_FAILS}` with another number of arguments"));
        };
        let mut sources = Vec::with_capacity(4);
        for (argument, bytes) in [(text, 8), (file, 8), (line, 4), (function, 8)] {
            sources.push(self.argument(frame, argument, bytes)?);
        }
        self.push(Action::Control(ControlOperation::AssertionFailed), None, &[], &sources);
        Ok(())
    }

    /// Loads an argument of 4 or 8 bytes that the caller stored for a call.
    fn argument(&mut self, frame: &Frame<'a>, argument: &Operand, bytes: u8) -> Lowered<(Place, OperandKind)> {
        let Operand::Symbol(name, 0) = argument else { return self.error("an argument is not a `.param` variable") };
        let Some(&(_, offset)) = frame.variables.get(name.as_str()) else {
            return self.error(format!("`{name}` is not declared"));
        };
        let kind = if bytes == 8 { OperandKind::Wide } else { OperandKind::Narrow };
        let place = self.temporary(kind);
        let element = Element { bytes, signed: false, strength: Strength::Weak };
        let operation = MemoryOperation::Load { space: Space::Local, element, lanes: 1 };
        let base = self.uniform(OperandKind::Wide, Uniform::Literal(0));
        let action = Action::Memory { operation, offset: offset as i64, visible: false };
        self.push(action, None, &[(place, kind)], &[(base, OperandKind::Wide)]);
        Ok((place, kind))
    }
}
