//! Products of a warpgroup. Registers of D are more than a step has operands: several steps pass them.

use super::super::step::{Action, OPERANDS};
use super::expander::{Expander, Frame, Lowered};
use crate::isa::warpgroup::{GroupProduct, Warpgroup};
use crate::ptx::tree::{Literal, Operand};
use crate::vector::registers::OperandKind::{Narrow, Predicate, Wide};

/// The number of registers of A of each lane.
const REGISTERS_OF_A: usize = 4;

impl<'a> Expander<'a> {
    /// Expands an instruction of a warpgroup. Lanes whose predicate is false jump over it.
    pub(super) fn warpgroup(
        &mut self,
        frame: &mut Frame<'a>,
        operation: Warpgroup,
        operands: &[Operand],
    ) -> Lowered<()> {
        let end = self.go_around();
        match (operation, operands) {
            (Warpgroup::Fence | Warpgroup::Commit, []) => self.push(Action::Warpgroup(operation), &[], &[]),
            (Warpgroup::Wait, [count @ Operand::Literal(Literal::Integer(0..=7))]) => {
                let count = self.source(frame, count, Narrow)?;
                self.push(Action::Warpgroup(operation), &[], &[count]);
            }
            (Warpgroup::Wait, _) => return self.error("the number of groups must be a constant from 0 to 7"),
            (Warpgroup::Multiply(product), [sums, a, b, adds, constants @ ..]) => {
                let a_in_registers = matches!(a, Operand::Vector(_));
                let product = self.complete(GroupProduct { a_in_registers, ..product }, constants)?;
                self.group_product(frame, product, sums, [a, b, adds])?;
            }
            _ => return self.error("wrong number of operands"),
        }
        end.into_iter().for_each(|end| self.set_label(end));
        Ok(())
    }

    /// Adds the constant operands: the signs of A and B, and whether A, unless it is in registers, and B are transposed.
    fn complete(&self, product: GroupProduct, constants: &[Operand]) -> Lowered<GroupProduct> {
        let [sign_a, sign_b, transposed @ ..] = constants else { return self.error("wrong number of operands") };
        let negated = [self.constant(sign_a, [1, u64::MAX])?, self.constant(sign_b, [1, u64::MAX])?];
        let transposed = match (product.a_in_registers, transposed) {
            (false, [a, b]) => [self.constant(a, [0, 1])?, self.constant(b, [0, 1])?],
            (true, [b]) => [false, self.constant(b, [0, 1])?],
            _ => return self.error("wrong number of operands"),
        };
        Ok(GroupProduct { negated, transposed, ..product })
    }

    /// Returns whether an operand is the second of two constants. Fails if it is neither.
    fn constant(&self, operand: &Operand, values: [u64; 2]) -> Lowered<bool> {
        match operand {
            Operand::Literal(Literal::Integer(value)) if values.contains(value) => Ok(*value == values[1]),
            _ => self.error(format!("expected the constant {} or {}", values[0] as i64, values[1] as i64)),
        }
    }

    fn group_product(
        &mut self,
        frame: &mut Frame<'a>,
        product: GroupProduct,
        sums: &Operand,
        [a, b, adds]: [&Operand; 3],
    ) -> Lowered<()> {
        self.require_registers(sums)?;
        let sums = self.narrow_vector(frame, sums, product.sums())?;
        for (index, sums) in sums.chunks(OPERANDS).enumerate() {
            self.push(Action::SetSumsAside { first: (index * OPERANDS) as u8 }, &[], sums);
        }
        let b = self.source(frame, b, Wide)?;
        let adds = self.source(frame, adds, Predicate)?;
        let mut sources = vec![b, adds];
        if product.a_in_registers {
            let a = self.narrow_vector(frame, a, REGISTERS_OF_A)?;
            self.push(Action::SetAside { first: 0 }, &[], &a);
        } else {
            sources.push(self.source(frame, a, Wide)?);
        }
        self.push(Action::Warpgroup(Warpgroup::Multiply(product)), &[], &sources);
        for (index, sums) in sums.chunks(OPERANDS).enumerate() {
            self.push(Action::TakeSums { first: (index * OPERANDS) as u8 }, sums, &[]);
        }
        Ok(())
    }
}
