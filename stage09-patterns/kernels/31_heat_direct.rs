// heatDirect in Rust; 31_heat_direct.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_dim, block_idx, mul_add, thread_idx};

/// Returns the index of a word.
fn place(row: u32, column: u32, n: u32, pitch: u32) -> u32 {
    let place = row * pitch + column;
    // SAFETY: the row is below n, and the column below the pitch
    unsafe { assert_unchecked(place < n * pitch) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn heatDirect(input: *const f32, output: *mut f32, n: u32, pitch: u32, rate: f32) {
    // SAFETY: the grid has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input, n * pitch) };
    // SAFETY: as many, each written by one thread
    let output = unsafe { Global::new(output, n * pitch) };
    let column = block_idx().x * block_dim().x + thread_idx().x;
    let row = block_idx().y * block_dim().y + thread_idx().y;
    if row >= n || column >= n {
        return;
    }

    let at = |row: u32, column: u32| input[place(row, column, n, pitch)];
    let mut cell = at(row, column);
    if row > 0 && row < n - 1 && column > 0 && column < n - 1 {
        let (above, below) = (at(row - 1, column), at(row + 1, column));
        let (left, right) = (at(row, column - 1), at(row, column + 1));
        cell = mul_add(rate, mul_add(-4.0, cell, (above + below) + (left + right)), cell);
    }
    output.set(place(row, column, n, pitch), cell);
}
