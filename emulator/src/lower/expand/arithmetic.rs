//! Instructions of one lane: plain ones, comparisons with a predicate, moves of vectors.

use super::super::step::{Action, Guard, Uniform};
use super::{Expander, Found, Frame, Lowered};
use crate::isa::carry::{Carry, CarryPart, CarryStep};
use crate::isa::{Arithmetic, Form, Operation, convert, logic};
use crate::ptx::tree::{Instruction, Operand};
use crate::vector::registers::OperandKind;
use crate::vector::registers::Place;

const N: OperandKind = OperandKind::Narrow;
const P: OperandKind = OperandKind::Predicate;
const W: OperandKind = OperandKind::Wide;

impl<'a> Expander<'a> {
    fn require_operands(&self, form: &Form, operands: &[Operand]) -> Lowered<()> {
        let (found, expected) = (operands.len(), form.operands.len());
        if found == expected { Ok(()) } else { self.error(format!("{found} operands where {expected} are expected")) }
    }

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
        self.require_operands(form, operands)?;
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
        let ([result, source], [result_kind, source_kind]) = (instruction.operands.as_slice(), form.operands) else {
            return self.arithmetic(frame, guard, operation, form, &instruction.operands);
        };
        let place = match (source, *source_kind, self.kind_of(frame, source)?) {
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
        let other = self.temporary(P);
        let high = match operation {
            Arithmetic::HalfCompare(compare) => compare.of_high_halves(),
            _ => None,
        };
        match high {
            Some(high) => {
                let high = Action::Arithmetic(Arithmetic::HalfCompare(high));
                self.push(high, None, &[(other, P)], &sources);
            }
            None => self.logic(logic::Logic::NotPredicate, None, (other, P), &[(compared, P)]),
        }
        let guard = guard.map(|guard| {
            let copy = self.temporary(P);
            self.logic(logic::Logic::MovePredicate, None, (copy, P), &[(guard.place, P)]);
            Guard { place: copy, ..guard }
        });
        let mut values = [compared, other];
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

    /// A register to its parts: two halves, or four quarters of 64 bits; the lowest comes first.
    fn unpack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        parts: &[Operand],
        source: &Operand,
    ) -> Lowered<()> {
        let kind = self.kind_of(frame, source)?;
        let bits = self.part_bits(kind, parts.len())?;
        let whole = self.source(frame, source, kind)?;
        // All are taken apart before the first is written: the source may be among the parts.
        let mut values = Vec::with_capacity(4);
        for index in 0..parts.len() as u64 {
            let shifted = self.temporary(kind);
            let shift = if kind == W { logic::Logic::ShiftRightU64 } else { logic::Logic::ShiftRightU32 };
            let count = self.uniform(N, Uniform::Literal(bits * index));
            self.logic(shift, None, (shifted, kind), &[(whole, kind), (count, N)]);
            values.push(shifted);
        }
        for (part, value) in parts.iter().zip(values) {
            let result = (self.result(frame, part, N)?, N);
            let narrow = match (kind, bits) {
                (W, 32) => convert::Convert::Narrow,
                (W, _) => convert::Convert::Narrow64To16,
                _ => convert::Convert::Narrow16,
            };
            self.convert(narrow, guard, result, (value, kind));
        }
        Ok(())
    }

    /// The parts to a register.
    fn pack(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        result: &Operand,
        parts: &[Operand],
    ) -> Lowered<()> {
        let kind = self.kind_of(frame, result)?;
        let bits = self.part_bits(kind, parts.len())?;
        let (shift, or) = if kind == W {
            (logic::Logic::ShiftLeft64, logic::Logic::Or64)
        } else {
            (logic::Logic::ShiftLeft32, logic::Logic::Or32)
        };
        let widen = match (kind, bits) {
            (W, 32) => convert::Convert::Widen,
            (W, _) => convert::Convert::Widen16To64,
            _ => convert::Convert::Widen16,
        };
        let mut whole = self.uniform(kind, Uniform::Literal(0));
        for (index, part) in parts.iter().enumerate() {
            let narrow = self.source(frame, part, N)?;
            let (wide, shifted, sum) = (self.temporary(kind), self.temporary(kind), self.temporary(kind));
            self.convert(widen, None, (wide, kind), (narrow, N));
            let count = self.uniform(N, Uniform::Literal(bits * index as u64));
            self.logic(shift, None, (shifted, kind), &[(wide, kind), (count, N)]);
            self.logic(or, None, (sum, kind), &[(whole, kind), (shifted, kind)]);
            whole = sum;
        }
        let result = (self.result(frame, result, kind)?, kind);
        let copy = if kind == W { logic::Logic::Move64 } else { logic::Logic::Move32 };
        self.logic(copy, guard, result, &[(whole, kind)]);
        Ok(())
    }

    /// Bits of each of so many parts of a register.
    fn part_bits(&self, kind: OperandKind, parts: usize) -> Lowered<u64> {
        match (kind, parts) {
            (W, 2) => Ok(32),
            (W, 4) | (N, 2) => Ok(16),
            _ => self.unsupported("a vector of that many parts in `mov`"),
        }
    }

    /// Sums with a carry, of terms or of half a product and a term: the carry is a predicate that no operand names.
    pub(super) fn carry(
        &mut self,
        frame: &mut Frame<'a>,
        guard: Option<Guard>,
        operation: Carry,
        form: &Form,
        operands: &[Operand],
    ) -> Lowered<()> {
        self.require_operands(form, operands)?;
        let kind = form.operands[0];
        let mut terms = Vec::with_capacity(3);
        for operand in &operands[1..] {
            terms.push((self.source(frame, operand, kind)?, kind));
        }
        if let Some(product) = operation.product {
            let half = (self.temporary(kind), kind);
            self.push(Action::Arithmetic(Arithmetic::Integer(product)), None, &[half], &terms[..2]);
            terms.splice(..2, [half]);
        }
        let carry = (self.carry_register(), P);
        // A difference is a sum with the complement, and one more.
        let none = Uniform::Literal(u64::from(operation.subtract));
        let carry_in = if operation.reads { carry.0 } else { self.uniform(P, none) };
        terms.push((carry_in, P));
        let wide = kind == W;
        let step = |part| Action::Arithmetic(Arithmetic::Carry(CarryStep { part, subtract: operation.subtract, wide }));
        // The sum may overwrite a term, and is written before the carry that it reads.
        let carry_out = (self.temporary(P), P);
        if operation.writes {
            self.push(step(CarryPart::Carry), None, &[carry_out], &terms);
        }
        let result = (self.result(frame, &operands[0], kind)?, kind);
        self.push(step(CarryPart::Sum), guard, &[result], &terms);
        if operation.writes {
            self.logic(logic::Logic::MovePredicate, guard, carry, &[carry_out]);
        }
        Ok(())
    }

    fn carry_register(&mut self) -> Place {
        if let Some(place) = self.carry {
            return place;
        }
        let place = self.temporary(P);
        self.carry = Some(place);
        place
    }
}
