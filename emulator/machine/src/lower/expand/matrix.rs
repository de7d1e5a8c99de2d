//! Matrix products, and loads and stores of matrices in shared memory.

use super::super::step::{Action, Uniform};
use super::expander::{Expander, Frame, Lowered, Placed};
use crate::isa::exchange::Exchange;
use crate::isa::matrix::{Matrix, Multiply};
use crate::ptx::tree::Operand;
use crate::vector::registers::OperandKind::{self, Narrow, Wide};

impl<'a> Expander<'a> {
    /// Expands a matrix instruction. Lanes whose predicate is false jump over it.
    pub(super) fn matrix(&mut self, frame: &mut Frame<'a>, operation: Matrix, operands: &[Operand]) -> Lowered<()> {
        let end = self.go_around();
        let mut store = None;
        let (results, exchange) = match (operation, operands) {
            (Matrix::Multiply(multiply), [result, a, b, c]) => {
                self.set_factors_aside(frame, multiply, [a, b, c])?;
                self.require_registers(result)?;
                let kind = if multiply.is_wide() { Wide } else { Narrow };
                (self.matrix_vector(frame, result, multiply.sums(), kind)?, Exchange::Multiply(multiply))
            }
            (Matrix::Load { count, transposed, generic }, [result, address]) => {
                let address = self.shared_address(frame, generic, address)?;
                self.push(Action::SetRowsAside { count }, &[], &[address]);
                (self.narrow_results(frame, result, count.into())?, Exchange::Matrices { count, transposed })
            }
            (Matrix::Store { count, transposed, generic }, [address, source]) => {
                let source = self.narrow_vector(frame, source, count.into())?;
                self.push(Action::SetAside { first: 0 }, &[], &source);
                let row: [Placed; 4] = std::array::from_fn(|_| self.temporary(Narrow));
                let address = self.shared_address(frame, generic, address)?;
                store = Some((Action::StoreRows { count }, [&[address], row.as_slice()].concat()));
                (row.to_vec(), Exchange::Rows { count, transposed })
            }
            (Matrix::Transpose, [result, source]) => {
                let source = self.narrow_vector(frame, source, 1)?;
                self.push(Action::SetAside { first: 0 }, &[], &source);
                (self.narrow_results(frame, result, 1)?, Exchange::Matrices { count: 1, transposed: true })
            }
            _ => return self.error("wrong number of operands"),
        };
        let everybody = self.uniform(Narrow, Uniform::Literal(u32::MAX.into()));
        self.push(Action::Exchange(exchange), &results, &[everybody]);
        if let Some((action, sources)) = store {
            self.push(action, &[], &sources);
        }
        end.into_iter().for_each(|end| self.set_label(end));
        Ok(())
    }

    /// Passes the registers of A, B and C.
    fn set_factors_aside(
        &mut self,
        frame: &mut Frame<'a>,
        multiply: Multiply,
        [a, b, c]: [&Operand; 3],
    ) -> Lowered<()> {
        let (of_a, of_b) = multiply.registers();
        let kind = if multiply.is_wide() { Wide } else { Narrow };
        let mut factors = self.matrix_vector(frame, a, of_a, kind)?;
        factors.extend(self.matrix_vector(frame, b, of_b, kind)?);
        let sums = self.matrix_vector(frame, c, multiply.sums(), kind)?;
        let first = self.set_aside(0, &factors);
        self.set_aside(first, &sums);
        Ok(())
    }

    fn narrow_results(&mut self, frame: &mut Frame<'a>, operand: &Operand, count: usize) -> Lowered<Vec<Placed>> {
        self.require_registers(operand)?;
        self.narrow_vector(frame, operand, count)
    }

    /// Returns the `count` 32-bit registers of a vector operand.
    pub(super) fn narrow_vector(
        &mut self,
        frame: &mut Frame<'a>,
        operand: &Operand,
        count: usize,
    ) -> Lowered<Vec<Placed>> {
        self.matrix_vector(frame, operand, count, Narrow)
    }

    /// Returns the `count` registers of one register file of a vector operand.
    fn matrix_vector(
        &mut self,
        frame: &mut Frame<'a>,
        operand: &Operand,
        count: usize,
        kind: OperandKind,
    ) -> Lowered<Vec<Placed>> {
        let bytes = if kind == Wide { 8 } else { 4 };
        let registers = self.vector(frame, operand, count as u8, bytes)?;
        if registers.iter().all(|(_, found)| *found == kind) {
            Ok(registers)
        } else {
            self.error(format!("the registers of a matrix have {} bits", 8 * bytes))
        }
    }
}
