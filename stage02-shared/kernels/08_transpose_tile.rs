// transposeTile of 08_transpose_tile.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_idx, launch_bounds, shared, sync_threads, thread_idx, unroll};

const TILE: u32 = 32; // columns and rows of a block
const WARPS: u32 = 8;
const EACH: u32 = TILE / WARPS; // words that a thread takes
const ROW: u32 = TILE; // words of a row of the tile

/// Where a word of a matrix is.
fn place(row: u32, column: u32, n: u32) -> u32 {
    let place = row * n + column;
    // SAFETY: both are below n
    unsafe { assert_unchecked(place < n * n) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn transposeTile(input: *const f32, output: *mut f32, n: u32) {
    launch_bounds(256);
    // SAFETY: n rows of n words; nobody writes them
    let input = unsafe { Input::new(input, n * n) };
    // SAFETY: likewise; a word has one thread that writes it
    let output = unsafe { Global::new(output, n * n) };
    // SAFETY: threads meet between writing an element and reading it
    let tile = unsafe { shared!([f32; (TILE * ROW) as usize]) };
    let (lane, warp) = (thread_idx().x % 32, thread_idx().x / 32);
    let (first_row, first_column) = (block_idx().y * TILE, block_idx().x * TILE); // of the input

    for each in 0..EACH {
        unroll(EACH as usize);
        let k = each * WARPS + warp; // [0, TILE)
        let (row, column) = (first_row + k, first_column + lane);
        // past n: the last row or column again, which nobody stores
        tile.set(k * ROW + lane, input[place(row.min(n - 1), column.min(n - 1), n)]);
    }
    // a column of the tile has words of all warps
    sync_threads();

    for each in 0..EACH {
        unroll(EACH as usize);
        let k = each * WARPS + warp;
        let (row, column) = (first_column + k, first_row + lane); // of the output
        if row < n && column < n {
            output.set(place(row, column, n), tile.get(lane * ROW + k));
        }
    }
}
