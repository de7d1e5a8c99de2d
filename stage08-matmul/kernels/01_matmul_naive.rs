// matmulNaive in Rust; 01_matmul_naive.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_dim, block_idx, thread_idx, unroll};

const WARP: u32 = 32;

/// Returns the index of an element of a row-major matrix of `n` columns.
fn place(row: u32, column: u32, n: u32) -> u32 {
    let place = row * n + column;
    // SAFETY: both coordinates are below n
    unsafe { assert_unchecked(place < n * n) };
    place
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matmulNaive(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
    // SAFETY: the matrix has n rows of n elements, and no thread writes them
    let b = unsafe { Input::new(b, n * n) };
    // SAFETY: the matrix has n rows of n elements, each written by one thread
    let c = unsafe { Global::new(c, n * n) };
    let row = block_idx().y * WARP + thread_idx().x % WARP;
    let column = block_idx().x * (block_dim().x / WARP) + thread_idx().x / WARP;
    if row >= n || column >= n {
        return;
    }

    // SAFETY: row is below n, and the matrix has n rows of n elements, which no thread writes
    let of_row = unsafe { Input::new(a.add((row * n) as usize), n) };
    let mut sum = 0.0;
    let mut of_column = column as usize; // the place of b[k, column]: 64-bit, so that an address is one addition
    for k in 0..n {
        unroll(4);
        // SAFETY: k and column are below n
        unsafe { assert_unchecked(of_column < (n * n) as usize) };
        sum += of_row[k] * b[of_column];
        of_column += n as usize;
    }
    c.set(place(row, column, n), sum);
}
