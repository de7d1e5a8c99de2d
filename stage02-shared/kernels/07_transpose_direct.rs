// transposeDirect in Rust; 07_transpose_direct.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_idx, launch_bounds, thread_idx, unroll};

const TILE: u32 = 32; // rows and columns per block
const WARPS: u32 = 8;
const EACH: u32 = TILE / WARPS; // elements per thread

/// Returns the index of an element of a row-major matrix of `n` columns.
fn place(row: u32, column: u32, n: u32) -> u32 {
    let place = row * n + column;
    // SAFETY: both coordinates are below n
    unsafe { assert_unchecked(place < n * n) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn transposeDirect(input: *const f32, output: *mut f32, n: u32) {
    launch_bounds(256);
    // SAFETY: the matrix has n rows of n elements, and no thread writes them
    let input = unsafe { Input::new(input, n * n) };
    // SAFETY: the matrix has n rows of n elements, each written by one thread
    let output = unsafe { Global::new(output, n * n) };
    let (lane, warp) = (thread_idx().x % 32, thread_idx().x / 32);
    let (first_row, first_column) = (block_idx().y * TILE, block_idx().x * TILE); // in the input

    for each in 0..EACH {
        unroll(EACH as usize);
        let k = each * WARPS + warp; // [0, TILE)
        let (row, column) = (first_row + k, first_column + lane);
        if row < n && column < n {
            output.set(place(column, row, n), input[place(row, column, n)]);
        }
    }
}
