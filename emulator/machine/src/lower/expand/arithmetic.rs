//! Arithmetic instructions, comparisons that are combined with a predicate, and moves of vectors.

use super::super::step::{Action, Guard, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::isa::carry::{Carry, CarryPart, CarryStep};
use crate::isa::convert::Convert;
use crate::isa::form::Shape;
use crate::isa::logic::{Logic, Move};
use crate::isa::operation::Arithmetic;
use crate::ptx::tree::{Instruction, Operand};
use crate::vector::registers::OperandKind;

const N: OperandKind = OperandKind::Narrow;
const P: OperandKind = OperandKind::Predicate;
const W: OperandKind = OperandKind::Wide;

impl<'a> Expander<'a> {
    fn require_operands(&self, shape: &Shape, operands: &[Operand]) -> Lowered<()> {
        let found = operands.len();
        let expected = shape.results.len() + shape.sources.len();
        if found == expected { Ok(()) } else { self.error(format!("expected {expected} operands, found {found}")) }
    }

    /// Computes a result of the current instruction.
    pub(super) fn compute(&mut self, operation: Arithmetic, result: Placed, sources: &[Placed]) {
        self.push(Action::Arithmetic(operation), &[result], sources);
    }

    /// Computes a value in a new register, even in lanes for which the guard is false.
    pub(super) fn value(&mut self, operation: Arithmetic, kind: OperandKind, sources: &[Placed]) -> Placed {
        let result = self.temporary(kind);
        self.push_always(Action::Arithmetic(operation), &[result], sources);
        result
    }

    pub(super) fn arithmetic(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Arithmetic,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        self.require_operands(shape, operands)?;
        let mut sources = Vec::with_capacity(4);
        for (operand, &kind) in operands[1..].iter().zip(shape.sources) {
            sources.push(self.source(frame, operand, kind)?);
        }
        let result = self.result(frame, &operands[0], shape.results[0])?;
        self.compute(operation, result, &sources);
        Ok(())
    }

    /// Expands `cvt`, whose registers may be wider than its types.
    pub(super) fn conversion(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Arithmetic,
        shape: &Shape,
        instruction: &Instruction,
    ) -> Lowered<()> {
        let ([result, source], [result_kind], [source_kind]) =
            (instruction.operands.as_slice(), shape.results, shape.sources)
        else {
            return self.arithmetic(frame, operation, shape, &instruction.operands);
        };
        let place = match (source, *source_kind, self.kind_of(frame, source)?) {
            (Operand::Register(_), N, W) => {
                let wide = self.source(frame, source, W)?;
                self.value(Arithmetic::Convert(Convert::Narrow), N, &[wide])
            }
            _ => self.source(frame, source, *source_kind)?,
        };
        let sources = [place];
        if (*result_kind, self.kind_of(frame, result)?) != (N, W) {
            let target = self.result(frame, result, *result_kind)?;
            self.compute(operation, target, &sources);
            return Ok(());
        }
        let narrow = self.value(operation, N, &sources);
        let signed = instruction.opcode.rsplit('.').nth(1).is_some_and(|kind| kind.starts_with('s'));
        let widen = if signed { Convert::WidenSigned } else { Convert::Widen };
        let target = self.result(frame, result, W)?;
        self.compute(Arithmetic::Convert(widen), target, &[narrow]);
        Ok(())
    }

    /// Expands `setp` with one or two results, optionally combined with a predicate.
    pub(super) fn comparison(
        &mut self,
        frame: &mut Frame<'a>,
        (operation, combine): (Arithmetic, Option<Logic>),
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        let expected = 3 + usize::from(combine.is_some());
        if operands.len() != expected {
            return self.error(format!("expected {expected} operands, found {}", operands.len()));
        }
        let (first, second) = match &operands[0] {
            Operand::Pair(first, second) => (*first, *second),
            Operand::Register(register) => (Some(*register), None),
            _ => return self.error("the first operand is not a predicate"),
        };
        let kind = shape.sources[0];
        let sources = [self.source(frame, &operands[1], kind)?, self.source(frame, &operands[2], kind)?];
        if let (Some(register), None, None) = (first, second, combine) {
            let result = self.register(frame, register, P)?;
            self.compute(operation, result, &sources);
            return Ok(());
        }
        // The results are written last, since they may be the combined predicate or the guard.
        let compared = self.value(operation, P, &sources);
        let high = match operation {
            Arithmetic::HalfCompare(compare) => compare.high_halves(),
            _ => None,
        };
        let other = match high {
            Some(high) => self.value(Arithmetic::HalfCompare(high), P, &sources),
            None => self.value(Arithmetic::Logic(Logic::NotPredicate), P, &[compared]),
        };
        self.guard = self.guard.map(|guard| {
            let (place, _) = self.value(Arithmetic::Move(Move::Predicate), P, &[(guard.place, P)]);
            Guard { place, ..guard }
        });
        let mut values = [compared, other];
        if let Some(combine) = combine {
            let other = self.source(frame, &operands[3], P)?;
            values = values.map(|value| self.value(Arithmetic::Logic(combine), P, &[value, other]));
        }
        for (register, value) in [first, second].into_iter().zip(values) {
            if let Some(register) = register {
                let result = self.register(frame, register, P)?;
                self.compute(Arithmetic::Move(Move::Predicate), result, &[value]);
            }
        }
        Ok(())
    }

    /// Expands `mov` of a value or an address, or between a register and a vector of its parts.
    pub(super) fn movement(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Arithmetic,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        match operands {
            [Operand::Vector(parts), source] => self.unpack(frame, parts, source),
            [result, Operand::Vector(parts)] => self.pack(frame, result, parts),
            _ => self.arithmetic(frame, operation, shape, operands),
        }
    }

    /// Splits a register into its parts, lowest first: two halves, or four quarters of 64 bits.
    fn unpack(&mut self, frame: &mut Frame<'a>, parts: &[Operand], source: &Operand) -> Lowered<()> {
        let kind = self.kind_of(frame, source)?;
        let bits = self.part_bits(kind, parts.len())?;
        let whole = self.source(frame, source, kind)?;
        // All parts are computed before the first is written, since the source may be one of the results.
        let mut values = Vec::with_capacity(4);
        for index in 0..parts.len() as u64 {
            let shift = if kind == W { Logic::ShiftRightU64 } else { Logic::ShiftRightU32 };
            let count = self.uniform(N, Uniform::Literal(bits * index));
            values.push(self.value(Arithmetic::Logic(shift), kind, &[whole, count]));
        }
        for (part, value) in parts.iter().zip(values) {
            let result = self.result(frame, part, N)?;
            let narrow = match (kind, bits) {
                (W, 32) => Convert::Narrow,
                (W, _) => Convert::Narrow64To16,
                _ => Convert::Narrow16,
            };
            self.compute(Arithmetic::Convert(narrow), result, &[value]);
        }
        Ok(())
    }

    /// Combines parts, lowest first, to a register.
    fn pack(&mut self, frame: &mut Frame<'a>, result: &Operand, parts: &[Operand]) -> Lowered<()> {
        let kind = self.kind_of(frame, result)?;
        let bits = self.part_bits(kind, parts.len())?;
        let (shift, or) = if kind == W { (Logic::ShiftLeft64, Logic::Or64) } else { (Logic::ShiftLeft32, Logic::Or32) };
        let widen = match (kind, bits) {
            (W, 32) => Convert::Widen,
            (W, _) => Convert::Widen16To64,
            _ => Convert::Widen16,
        };
        let mut whole = self.uniform(kind, Uniform::Literal(0));
        for (index, part) in parts.iter().enumerate() {
            let narrow = self.source(frame, part, N)?;
            let wide = self.value(Arithmetic::Convert(widen), kind, &[narrow]);
            let count = self.uniform(N, Uniform::Literal(bits * index as u64));
            let shifted = self.value(Arithmetic::Logic(shift), kind, &[wide, count]);
            whole = self.value(Arithmetic::Logic(or), kind, &[whole, shifted]);
        }
        let result = self.result(frame, result, kind)?;
        let copy = if kind == W { Move::Wide } else { Move::Narrow };
        self.compute(Arithmetic::Move(copy), result, &[whole]);
        Ok(())
    }

    /// Returns the number of bits of each part of a register.
    fn part_bits(&self, kind: OperandKind, parts: usize) -> Lowered<u64> {
        match (kind, parts) {
            (W, 2) => Ok(32),
            (W, 4) | (N, 2) => Ok(16),
            _ => self.unsupported("`mov` of a vector of this length"),
        }
    }

    /// Expands sums with a carry: of two terms, or of half a product and a term. The carry is an implicit predicate.
    pub(super) fn carry(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Carry,
        shape: &Shape,
        operands: &[Operand],
    ) -> Lowered<()> {
        self.require_operands(shape, operands)?;
        let kind = shape.results[0];
        let mut terms = Vec::with_capacity(3);
        for operand in &operands[1..] {
            terms.push(self.source(frame, operand, kind)?);
        }
        if let Some(product) = operation.product {
            let half = self.value(Arithmetic::Integer(product), kind, &terms[..2]);
            terms.splice(..2, [half]);
        }
        let carry = self.carry_register();
        // A difference is the sum with the complement, plus one.
        let none = Uniform::Literal(u64::from(operation.subtract));
        terms.push(if operation.reads { carry } else { self.uniform(P, none) });
        let wide = kind == W;
        let step = |part| Action::Arithmetic(Arithmetic::Carry(CarryStep { part, subtract: operation.subtract, wide }));
        // The sum may overwrite a term, and its step reads the old carry.
        let carry_out = self.temporary(P);
        if operation.writes {
            self.push_always(step(CarryPart::Carry), &[carry_out], &terms);
        }
        let result = self.result(frame, &operands[0], kind)?;
        self.push(step(CarryPart::Sum), &[result], &terms);
        if operation.writes {
            self.compute(Arithmetic::Move(Move::Predicate), carry, &[carry_out]);
        }
        Ok(())
    }

    fn carry_register(&mut self) -> Placed {
        if let Some(place) = self.carry {
            return place;
        }
        let place = self.temporary(P);
        self.carry = Some(place);
        place
    }
}
