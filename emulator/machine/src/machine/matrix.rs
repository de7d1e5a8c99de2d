//! Matrix instructions of a warp: each lane collects its operands in the steps before the one that executes the instruction.

use super::bind::BoundStep;
use super::block::BlockMachine;
use super::events::{AccessKind, Observer};
use super::memories::MatrixOperands;
use super::stop::Run;
use super::word::{cells, read, write};
use crate::ground::lanes::{WARP_SIZE, active};
use crate::isa::dot::{Columns, Dots, Term, dots_in_half};
use crate::isa::matrix::{COLUMNS, Elements, Factor, MAX_DEPTH, Multiply, ROWS, place_in_sum};
use crate::vector::registers::OperandKind;
use crate::vector::simd::Simd;

/// Bytes of a row of a matrix in shared memory.
const ROW_BYTES: u32 = 16;

/// A word of each lane.
type Row = [u32; WARP_SIZE];

impl<O: Observer> BlockMachine<'_, O> {
    /// Collects the operands of a step into the registers from `first` on.
    pub(super) fn collect_operands(&mut self, step: &BoundStep, first: u8) -> bool {
        for (warp, mask) in self.lanes.each() {
            let mut row = usize::from(first);
            for (operand, kind) in step.kinds.iter().map_while(|kind| *kind).enumerate() {
                let words = if kind == OperandKind::Wide { 2 } else { 1 };
                let rows = rows(&mut self.matrix_operands[warp], row, words);
                for lane in active(mask) {
                    let value = self.registers.value(step.operand(operand), warp, lane);
                    rows.iter_mut().enumerate().for_each(|(word, row)| row[lane] = (value >> (32 * word)) as u32);
                }
                row += words;
            }
        }
        self.advance()
    }

    /// Collects `count` matrices from shared memory, distributed over the lanes: lane 4 r + w holds word w of row r. Lanes
    /// 0 to 7 hold the addresses of the rows of the first matrix, lanes 8 to 15 those of the second, and so on.
    pub(super) fn collect_rows(&mut self, step: &BoundStep, count: u8) -> Run<bool> {
        let lanes_with_rows = u32::MAX >> (32 - 8 * u32::from(count));
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.lanes.masks[index] & lanes_with_rows;
            let offsets = self.shared_offsets(step, 0, index, mask, ROW_BYTES, AccessKind::Load)?;
            let rows = rows(&mut self.matrix_operands[warp], 0, count.into());
            for lane in active(mask) {
                for word in 0..4 {
                    let value = read(&self.memories.shared, offsets[lane] + 4 * word, 4) as u32;
                    rows[lane / 8][4 * (lane % 8) + word] = value;
                }
            }
        }
        Ok(self.advance())
    }

    /// Stores rows of `count` matrices to shared memory. The operands are the address of a row, and its four words.
    pub(super) fn store_rows(&mut self, step: &BoundStep, count: u8) -> Run<bool> {
        let lanes_with_rows = u32::MAX >> (32 - 8 * u32::from(count));
        for index in 0..self.lanes.warps.len() {
            let warp = usize::from(self.lanes.warps[index]);
            let mask = self.lanes.masks[index] & lanes_with_rows;
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

    /// Returns collected matrix `number`, transposed if asked for.
    pub(super) fn matrix(&self, warp: usize, number: usize, is_transposed: bool) -> Row {
        let held = &self.matrix_operands[warp][number];
        if is_transposed { transpose(held) } else { *held }
    }
}

/// Returns the `count` rows from `first` on, which are added if they are missing.
fn rows(operands: &mut MatrixOperands, first: usize, count: usize) -> &mut [Row] {
    if operands.len() < first + count {
        operands.resize(first + count, [0; WARP_SIZE]);
    }
    &mut operands[first..first + count]
}

/// Returns the registers of D of each lane, of which [`Multiply::sums`] are used. Not a method, which would be compiled
/// again for each observer.
pub(super) fn product(simd: Simd, operands: &[Row], multiply: Multiply) -> [Row; 4] {
    match multiply.elements {
        Elements::Floats(factor) => product_of_floats(simd, operands, multiply, factor),
        Elements::Halves => product_of_halves(operands, multiply),
        // These have wide registers: see `product_of_doubles`.
        Elements::Doubles { .. } => [[0; WARP_SIZE]; 4],
        Elements::Integers { signed, clamped, .. } => product_of_integers(operands, multiply, signed, clamped),
    }
}

fn product_of_floats(simd: Simd, operands: &[Row], multiply: Multiply, factor: Factor) -> [Row; 4] {
    let factors = factors::<_, MAX_DEPTH>(operands, multiply, |bits, _| Term::factor(factor, bits));
    let (of_a, of_b) = multiply.registers();
    let mut all = [[0; WARP_SIZE]; 4];
    all.copy_from_slice(&operands[of_a + of_b..][..4]);
    let columns = [Columns::new(&factors.b)];
    simd.run(Dots { sums: &mut all, adds: true, rows: &factors.a, columns: &columns, depth: multiply.depth.into() });
    all
}

fn product_of_halves(operands: &[Row], multiply: Multiply) -> [Row; 4] {
    let factors = factors::<_, MAX_DEPTH>(operands, multiply, |bits, _| Term::factor(Factor::F16, bits));
    let columns = Columns::new(&factors.b);
    let (of_a, of_b) = multiply.registers();
    let mut all = [[0; WARP_SIZE]; 4];
    for (row, a) in factors.a.iter().enumerate() {
        let lanes = 4 * (row % 8)..4 * (row % 8) + 4;
        let old = &operands[of_a + of_b + row / 8][lanes.clone()];
        let halves = dots_in_half(std::array::from_fn(|column| old[column / 2] >> (16 * (column % 2))), a, &columns);
        let words = halves.as_chunks().0.iter().map(|[low, high]| high << 16 | low);
        all[row / 8][lanes].iter_mut().zip(words).for_each(|(word, both)| *word = both);
    }
    all
}

/// Returns the registers of D of each lane, for doubles. An H200 adds the products one after the other, in the order of their
/// index, each with a fused multiply-add.
pub(super) fn product_of_doubles(operands: &[Row], multiply: Multiply) -> [[u64; WARP_SIZE]; 4] {
    let word = |register: usize, lane: usize| {
        f64::from_bits(u64::from(operands[2 * register + 1][lane]) << 32 | u64::from(operands[2 * register][lane]))
    };
    let (of_a, of_b) = multiply.registers();
    let mut factors = Factors { a: [[0.0; MAX_DEPTH]; ROWS], b: [[0.0; MAX_DEPTH]; COLUMNS] };
    for lane in 0..WARP_SIZE {
        for register in 0..of_a {
            let (row, column) = multiply.place_in_a(lane, register, 0);
            factors.a[row][column] = word(register, lane);
        }
        for register in 0..of_b {
            let (row, column) = multiply.place_in_b(lane, register, 0);
            factors.b[column][row] = word(of_a + register, lane);
        }
    }
    let sum = |register: usize, lane: usize| {
        let (row, column) = place_in_sum(lane, register);
        let products = factors.a[row].iter().zip(&factors.b[column]).take(multiply.depth.into());
        products.fold(word(of_a + of_b + register, lane), |sum, (a, b)| a.mul_add(*b, sum)).to_bits()
    };
    std::array::from_fn(|register| {
        if register < multiply.sums() { std::array::from_fn(|lane| sum(register, lane)) } else { [0; WARP_SIZE] }
    })
}

fn product_of_integers(operands: &[Row], multiply: Multiply, signed: [bool; 2], clamped: bool) -> [Row; 4] {
    let integer = |word: u32, of_b: usize| if signed[of_b] { i64::from(word as i8) } else { i64::from(word as u8) };
    let factors = factors::<_, 32>(operands, multiply, integer);
    let (of_a, of_b) = multiply.registers();
    let sum = |register: usize, lane: usize| {
        let (row, column) = place_in_sum(lane, register);
        let products = factors.a[row].iter().zip(&factors.b[column]).map(|(a, b)| a * b);
        let sum = i64::from(operands[of_a + of_b + register][lane] as i32) + products.sum::<i64>();
        if clamped { sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32 } else { sum as u32 }
    };
    std::array::from_fn(|register| {
        if register < multiply.sums() { std::array::from_fn(|lane| sum(register, lane)) } else { [0; WARP_SIZE] }
    })
}

/// The rows of A and the columns of B. Elements beyond the depth of a product are zero.
struct Factors<T, const DEPTH: usize> {
    a: [[T; DEPTH]; ROWS],
    b: [[T; DEPTH]; COLUMNS],
}

/// Returns the factors. `element` decodes the low bits of a word, given 0 for A and 1 for B.
fn factors<T: Copy + Default, const DEPTH: usize>(
    operands: &[Row],
    multiply: Multiply,
    element: impl Fn(u32, usize) -> T,
) -> Factors<T, DEPTH> {
    let mut factors = Factors { a: [[T::default(); DEPTH]; ROWS], b: [[T::default(); DEPTH]; COLUMNS] };
    let (of_a, of_b) = multiply.registers();
    let packed = multiply.packed();
    let bits = |register: usize, lane: usize, part: usize| operands[register][lane] >> (32 / packed * part);
    for lane in 0..WARP_SIZE {
        for part in 0..packed {
            for register in 0..of_a {
                let (row, column) = multiply.place_in_a(lane, register, part);
                factors.a[row][column] = element(bits(register, lane, part), 0);
            }
            for register in 0..of_b {
                let (row, column) = multiply.place_in_b(lane, register, part);
                factors.b[column][row] = element(bits(of_a + register, lane, part), 1);
            }
        }
    }
    factors
}

/// Returns a matrix transposed.
fn transpose(held: &Row) -> Row {
    let element = |row: usize, column: usize| held[4 * row + column / 2] >> (16 * (column % 2)) & 0xFFFF;
    std::array::from_fn(|lane| {
        let row = lane / 4;
        let column = 2 * (lane % 4);
        element(column + 1, row) << 16 | element(column, row)
    })
}
