//! Matrix instructions of a warp: each lane collects its operands in the steps before the one that executes the instruction.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{AccessKind, Observer};
use super::stop::Run;
use super::word::read;
use crate::ground::lanes::{LANES, active};
use crate::isa::dot::{Term, dot};
use crate::isa::matrix::{COLUMNS, MOST_DEPTH, Multiply, ROWS, place_in_sum};

/// Bytes of a row of a matrix in shared memory.
const ROW_BYTES: u32 = 16;

impl<O: Observer> BlockMachine<'_, O> {
    /// Collects the operands of a step into the registers from `first` on.
    pub(super) fn collect_operands(&mut self, step: &BoundStep, first: u8) -> bool {
        for (&warp, &mask) in self.lanes.warps.iter().zip(&self.lanes.masks) {
            let warp = usize::from(warp);
            let operands = step.kinds.iter().take_while(|kind| kind.is_some()).count();
            for operand in 0..operands {
                let row = &mut self.matrix_operands[warp][usize::from(first) + operand];
                active(mask)
                    .for_each(|lane| row[lane] = self.registers.value(step.operand(operand), warp, lane) as u32);
            }
        }
        self.advance()
    }

    /// Collects `count` matrices from shared memory, distributed over the lanes: lane 4 r + w holds word w of row r. Lanes
    /// 0 to 7 hold the addresses of the rows of the first matrix, lanes 8 to 15 those of the second, and so on.
    pub(super) fn collect_rows(&mut self, step: &BoundStep, count: u8) -> Run<bool> {
        let lanes_with_rows = u32::MAX >> (32 - 8 * u32::from(count));
        for index in 0..self.lanes.warps.len() {
            let (warp, mask) = (usize::from(self.lanes.warps[index]), self.lanes.masks[index] & lanes_with_rows);
            let offsets = self.shared_offsets(step, 0, index, mask, ROW_BYTES, AccessKind::Load)?;
            for lane in active(mask) {
                for word in 0..4 {
                    let value = read(&self.memories.shared, offsets[lane] + 4 * word, 4) as u32;
                    self.matrix_operands[warp][lane / 8][4 * (lane % 8) + word] = value;
                }
            }
        }
        Ok(self.advance())
    }

    /// Returns the registers of D of each lane.
    pub(super) fn product(&self, warp: usize, multiply: Multiply) -> [[u32; LANES]; 4] {
        let matrix_operands = &self.matrix_operands[warp];
        let (mut a, mut b) = ([[Term::default(); MOST_DEPTH]; ROWS], [[Term::default(); MOST_DEPTH]; COLUMNS]);
        let (of_a, of_b) = multiply.registers();
        let element = |register: usize, lane: usize, part: usize| {
            Term::factor(multiply.factor, matrix_operands[register][lane] >> (16 * part))
        };
        for lane in 0..LANES {
            for part in 0..multiply.packed() {
                for register in 0..of_a {
                    let (row, column) = multiply.place_in_a(lane, register, part);
                    a[row][column] = element(register, lane, part);
                }
                for register in 0..of_b {
                    let (row, column) = multiply.place_in_b(lane, register, part);
                    b[column][row] = element(of_a + register, lane, part);
                }
            }
        }
        let depth = usize::from(multiply.depth);
        let sum = |register: usize, lane: usize| {
            let (row, column) = place_in_sum(lane, register);
            let old = Term::single(f32::from_bits(matrix_operands[of_a + of_b + register][lane]));
            dot(old, a[row][..depth].iter().copied().zip(b[column][..depth].iter().copied())).to_bits()
        };
        std::array::from_fn(|register| std::array::from_fn(|lane| sum(register, lane)))
    }

    /// Returns collected matrix `number`, transposed.
    pub(super) fn transposed(&self, warp: usize, number: usize) -> [u32; LANES] {
        let held = &self.matrix_operands[warp][number];
        let element = |row: usize, column: usize| held[4 * row + column / 2] >> (16 * (column % 2)) & 0xFFFF;
        std::array::from_fn(|lane| {
            let (row, column) = (lane / 4, 2 * (lane % 4));
            element(column + 1, row) << 16 | element(column, row)
        })
    }
}
