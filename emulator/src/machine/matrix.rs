//! Matrix instructions of a warp: each lane collects its operands in the steps before the one that executes the instruction.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{AccessKind, Observer};
use super::stop::Run;
use super::word::{cells, read, write};
use crate::ground::lanes::{LANES, active};
use crate::isa::dot::{Term, dot, dot_in_half};
use crate::isa::matrix::{COLUMNS, Elements, Factor, MOST_DEPTH, MOST_DEPTH_OF_BYTES, Multiply, ROWS, place_in_sum};

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

    /// Stores rows of `count` matrices to shared memory. The operands are the address of a row, and its four words.
    pub(super) fn store_rows(&mut self, step: &BoundStep, count: u8) -> Run<bool> {
        let lanes_with_rows = u32::MAX >> (32 - 8 * u32::from(count));
        for index in 0..self.lanes.warps.len() {
            let (warp, mask) = (usize::from(self.lanes.warps[index]), self.lanes.masks[index] & lanes_with_rows);
            let offsets = self.shared_offsets(step, 0, index, mask, ROW_BYTES, AccessKind::Store)?;
            for lane in active(mask) {
                for word in 0..4 {
                    let value = self.registers.value(step.operand(1 + word), warp, lane);
                    write(cells(&mut self.memories.shared), offsets[lane] + 4 * word, 4, value);
                }
            }
        }
        Ok(self.advance())
    }

    /// Returns the registers of D of each lane, of which [`Multiply::sums`] are used.
    pub(super) fn product(&self, warp: usize, multiply: Multiply) -> [[u32; LANES]; 4] {
        match multiply.elements {
            Elements::Floats(factor) => self.product_of_floats(warp, multiply, factor),
            Elements::Halves => self.product_of_halves(warp, multiply),
            Elements::Bytes { signed, clamped } => self.product_of_bytes(warp, multiply, signed, clamped),
        }
    }

    fn product_of_floats(&self, warp: usize, multiply: Multiply, factor: Factor) -> [[u32; LANES]; 4] {
        let depth = usize::from(multiply.depth);
        let (a, b) = self.factors::<_, MOST_DEPTH>(warp, multiply, |bits, _| Term::factor(factor, bits));
        self.sums(warp, multiply, |row, column, old| {
            let products = a[row][..depth].iter().copied().zip(b[column][..depth].iter().copied());
            dot(Term::single(f32::from_bits(old)), products).to_bits()
        })
    }

    fn product_of_halves(&self, warp: usize, multiply: Multiply) -> [[u32; LANES]; 4] {
        let depth = usize::from(multiply.depth);
        let (a, b) = self.factors::<_, MOST_DEPTH>(warp, multiply, |bits, _| Term::factor(Factor::F16, bits));
        let (of_a, of_b) = multiply.registers();
        let old = &self.matrix_operands[warp][of_a + of_b..];
        let half = |register: usize, lane: usize, part: usize| {
            let (row, column) = (lane / 4 + 8 * register, 2 * (lane % 4) + part);
            let products = a[row][..depth].iter().copied().zip(b[column][..depth].iter().copied());
            dot_in_half(Term::factor(Factor::F16, old[register][lane] >> (16 * part)), products)
        };
        std::array::from_fn(|register| {
            let word = |lane| half(register, lane, 1) << 16 | half(register, lane, 0);
            if register < 2 { std::array::from_fn(word) } else { [0; LANES] }
        })
    }

    fn product_of_bytes(&self, warp: usize, multiply: Multiply, signed: [bool; 2], clamped: bool) -> [[u32; LANES]; 4] {
        let byte = |bits: u32, of_b: usize| if signed[of_b] { i64::from(bits as i8) } else { i64::from(bits as u8) };
        let (a, b) = self.factors::<_, MOST_DEPTH_OF_BYTES>(warp, multiply, byte);
        self.sums(warp, multiply, |row, column, old| {
            let products = a[row].iter().zip(&b[column]).map(|(a, b)| a * b);
            let sum = i64::from(old as i32) + products.sum::<i64>();
            if clamped { sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32 } else { sum as u32 }
        })
    }

    /// Returns the rows of A and the columns of B. `element` decodes the low bits of a word, given 0 for A and 1 for B.
    /// Elements beyond the depth of the product are zero.
    fn factors<T: Copy + Default, const DEPTH: usize>(
        &self,
        warp: usize,
        multiply: Multiply,
        element: impl Fn(u32, usize) -> T,
    ) -> ([[T; DEPTH]; ROWS], [[T; DEPTH]; COLUMNS]) {
        let operands = &self.matrix_operands[warp];
        let (mut a, mut b) = ([[T::default(); DEPTH]; ROWS], [[T::default(); DEPTH]; COLUMNS]);
        let (of_a, of_b) = multiply.registers();
        let packed = multiply.packed();
        let bits = |register: usize, lane: usize, part: usize| operands[register][lane] >> (32 / packed * part);
        for (lane, part) in (0..LANES).flat_map(|lane| (0..packed).map(move |part| (lane, part))) {
            for register in 0..of_a {
                let (row, column) = multiply.place_in_a(lane, register, part);
                a[row][column] = element(bits(register, lane, part), 0);
            }
            for register in 0..of_b {
                let (row, column) = multiply.place_in_b(lane, register, part);
                b[column][row] = element(bits(of_a + register, lane, part), 1);
            }
        }
        (a, b)
    }

    /// Returns the registers of D of each lane. `sum` returns an element for its row, its column and the word of C.
    fn sums(&self, warp: usize, multiply: Multiply, sum: impl Fn(usize, usize, u32) -> u32) -> [[u32; LANES]; 4] {
        let (of_a, of_b) = multiply.registers();
        let old = &self.matrix_operands[warp][of_a + of_b..];
        let of_lane = |register: usize, lane: usize| {
            let (row, column) = place_in_sum(lane, register);
            sum(row, column, old[register][lane])
        };
        std::array::from_fn(|register| std::array::from_fn(|lane| of_lane(register, lane)))
    }

    /// Returns collected matrix `number`, transposed if asked for.
    pub(super) fn matrix(&self, warp: usize, number: usize, transposed: bool) -> [u32; LANES] {
        if transposed { self.transposed(warp, number) } else { self.matrix_operands[warp][number] }
    }

    /// Returns collected matrix `number`, transposed.
    fn transposed(&self, warp: usize, number: usize) -> [u32; LANES] {
        let held = &self.matrix_operands[warp][number];
        let element = |row: usize, column: usize| held[4 * row + column / 2] >> (16 * (column % 2)) & 0xFFFF;
        std::array::from_fn(|lane| {
            let (row, column) = (lane / 4, 2 * (lane % 4));
            element(column + 1, row) << 16 | element(column, row)
        })
    }
}
