//! Instructions of one lane: plain ones, comparisons with a predicate, moves of vectors.

use super::super::step::{Action, Guard, Uniform};
use super::{Expander, Found, Frame, Lowered};
use crate::isa::{Arithmetic, Form, OperandKind, Operation, convert, logic};
use crate::machine::registers::Place;
use crate::ptx::tree::{Instruction, Operand};

impl<'a> Expander<'a> {
    pub(super) fn logic(
        &mut self,
        operation: logic::Logic,
        guard: Option<Guard>,
        result: (Place, OperandKind),
        sources: &[(Place, OperandKind)],
    ) {
        self.push(Action::Arithmetic(Arithmetic::Logic(operation)), guard, &[result], sources);
    }

    fn convert(
        &mut self,
        operation: convert::Convert,
        guard: Option<Guard>,
        result: (Place, OperandKind),
        source: (Place, OperandKind),
    ) {
        self.push(Action::Arithmetic(Arithmetic::Convert(operation)), guard, &[result], &[source]);
    }

    pub(super) fn arithmetic(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Arithmetic,
        form: &Form,
        operands: &[Operand],
    ) -> Lowered<()> {
        if operands.len() != form.operands.len() {
            return self.error(format!("{} operands where {} are expected", operands.len(), form.operands.len()));
        }
        let mut sources = Vec::with_capacity(4);
        for (operand, &kind) in operands.iter().zip(form.operands).skip(1) {
            sources.push((self.source(frame, operand, kind)?, kind));
        }
        let result = (self.result(frame, &operands[0], form.operands[0])?, form.operands[0]);
        self.push(Action::Arithmetic(operation), guard, &[result], &sources);
        Ok(())
    }

    /// `cvt`, whose registers may be wider than its types.
    pub(super) fn conversion(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Arithmetic,
        form: &Form,
        instruction: &Instruction,
    ) -> Lowered<()> {
        use OperandKind::{Narrow as N, Wide as W};
        let ([result, source], [result_kind, source_kind]) = (instruction.operands.as_slice(), form.operands) else {
            return self.arithmetic(frame, guard, operation, form, &instruction.operands);
        };
        let place = match (source, source_kind, self.kind_of(frame, source)?) {
            (Operand::Register(_), N, W) => {
                let (wide, narrow) = (self.source(frame, source, W)?, self.temporary(N));
                self.convert(convert::Convert::Narrow, None, (narrow, N), (wide, W));
                narrow
            }
            _ => self.source(frame, source, *source_kind)?,
        };
        let sources = [(place, *source_kind)];
        if (*result_kind, self.kind_of(frame, result)?) != (N, W) {
            let target = (self.result(frame, result, *result_kind)?, *result_kind);
            self.push(Action::Arithmetic(operation), guard, &[target], &sources);
            return Ok(());
        }
        let narrow = self.temporary(N);
        self.push(Action::Arithmetic(operation), None, &[(narrow, N)], &sources);
        let signed = instruction.opcode.rsplit('.').nth(1).is_some_and(|kind| kind.starts_with('s'));
        let widen = if signed { convert::Convert::WidenSigned } else { convert::Convert::Widen };
        let target = (self.result(frame, result, W)?, W);
        self.convert(widen, guard, target, (narrow, N));
        Ok(())
    }

    /// `setp` with one or two results, combined with a predicate or not.
    pub(super) fn comparison(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        found: &Found,
        operands: &[Operand],
    ) -> Lowered<()> {
        const P: OperandKind = OperandKind::Predicate;
        let Operation::Arithmetic(operation) = found.operation else { return self.error("not a comparison") };
        let expected = 3 + usize::from(found.combine.is_some());
        if operands.len() != expected {
            return self.error(format!("{} operands where {expected} are expected", operands.len()));
        }
        let (first, second) = match &operands[0] {
            Operand::Pair(first, second) => (*first, *second),
            Operand::Register(register) => (Some(*register), None),
            _ => return self.error("the first operand is not a predicate"),
        };
        let kind = found.form.operands[1];
        let sources =
            [(self.source(frame, &operands[1], kind)?, kind), (self.source(frame, &operands[2], kind)?, kind)];
        if let (Some(register), None, None) = (first, second, found.combine) {
            let result = (self.register(frame, register, P)?, P);
            self.push(Action::Arithmetic(operation), guard, &[result], &sources);
            return Ok(());
        }
        // The results are written last: they may be the predicate combined with, or the guard.
        let compared = self.temporary(P);
        self.push(Action::Arithmetic(operation), None, &[(compared, P)], &sources);
        let inverse = self.temporary(P);
        self.logic(logic::Logic::NotPredicate, None, (inverse, P), &[(compared, P)]);
        let guard = guard.map(|guard| {
            let copy = self.temporary(P);
            self.logic(logic::Logic::MovePredicate, None, (copy, P), &[(guard.place, P)]);
            Guard { place: copy, ..guard }
        });
        let mut values = [compared, inverse];
        if let Some(combine) = found.combine {
            let other = self.source(frame, &operands[3], P)?;
            for value in &mut values {
                let combined = self.temporary(P);
                self.logic(combine, None, (combined, P), &[(*value, P), (other, P)]);
                *value = combined;
            }
        }
        for (register, value) in [first, second].into_iter().zip(values) {
            if let Some(register) = register {
                let result = (self.register(frame, register, P)?, P);
                self.logic(logic::Logic::MovePredicate, guard, result, &[(value, P)]);
            }
        }
        Ok(())
    }

    /// `mov`: of a value, an address, or between a register and a vector of its parts.
    pub(super) fn movement(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Arithmetic,
        form: &Form,
        operands: &[Operand],
    ) -> Lowered<()> {
        match operands {
            [Operand::Vector(parts), source] => self.unpack(frame, guard, parts, source),
            [result, Operand::Vector(parts)] => self.pack(frame, guard, result, parts),
            _ => self.arithmetic(frame, guard, operation, form, operands),
        }
    }

    fn unpack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        parts: &[Operand],
        source: &Operand,
    ) -> Lowered<()> {
        const N: OperandKind = OperandKind::Narrow;
        const W: OperandKind = OperandKind::Wide;
        let [low, high] = parts else { return self.unsupported("a vector of other than two parts in `mov`") };
        let kind = self.kind_of(frame, source)?;
        let whole = self.source(frame, source, kind)?;
        let upper = self.temporary(kind);
        let (shift, bits) =
            if kind == W { (logic::Logic::ShiftRightU64, 32) } else { (logic::Logic::ShiftRightU32, 16) };
        let count = self.uniform(N, Uniform::Literal(bits));
        self.logic(shift, None, (upper, kind), &[(whole, kind), (count, N)]);
        let lower = self.temporary(kind);
        let copy = if kind == W { logic::Logic::Move64 } else { logic::Logic::Move32 };
        self.logic(copy, None, (lower, kind), &[(whole, kind)]);
        for (part, value) in [(low, lower), (high, upper)] {
            let result = (self.result(frame, part, N)?, N);
            let narrow = if kind == W { convert::Convert::Narrow } else { convert::Convert::Narrow16 };
            self.convert(narrow, guard, result, (value, kind));
        }
        Ok(())
    }

    fn pack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        result: &Operand,
        parts: &[Operand],
    ) -> Lowered<()> {
        const N: OperandKind = OperandKind::Narrow;
        const W: OperandKind = OperandKind::Wide;
        let [low, high] = parts else { return self.unsupported("a vector of other than two parts in `mov`") };
        let kind = self.kind_of(frame, result)?;
        let mut values = [Place::default(); 2];
        for (part, value) in [low, high].into_iter().zip(&mut values) {
            let narrow = self.source(frame, part, N)?;
            *value = self.temporary(kind);
            let widen = if kind == W { convert::Convert::Widen } else { convert::Convert::Widen16 };
            self.convert(widen, None, (*value, kind), (narrow, N));
        }
        let (shift, or, bits) = if kind == W {
            (logic::Logic::ShiftLeft64, logic::Logic::Or64, 32)
        } else {
            (logic::Logic::ShiftLeft32, logic::Logic::Or32, 16)
        };
        let count = self.uniform(N, Uniform::Literal(bits));
        let shifted = self.temporary(kind);
        self.logic(shift, None, (shifted, kind), &[(values[1], kind), (count, N)]);
        let result = (self.result(frame, result, kind)?, kind);
        self.logic(or, guard, result, &[(values[0], kind), (shifted, kind)]);
        Ok(())
    }
}
