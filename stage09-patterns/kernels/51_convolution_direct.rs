// convolutionDirect in Rust; 51_convolution_direct.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_dim, block_idx, mul_add, thread_idx, unroll};

const MAX_TAPS: usize = 49;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Filter {
    taps: [f32; MAX_TAPS],
}

/// Returns the index of a word.
fn place(row: i32, column: i32, n: i32, pitch: i32) -> u32 {
    let place = (row * pitch + column) as u32;
    // SAFETY: the row is below n, and the column below the pitch
    unsafe { assert_unchecked(place < (n * pitch) as u32) };
    place
}

#[inline(always)]
unsafe fn convolve<const RADIUS: i32>(input: *const f32, output: *mut f32, n: i32, pitch: i32, filter: Filter) {
    let side = 2 * RADIUS + 1;
    // SAFETY: the image has n rows of this pitch, and no thread writes them
    let input = unsafe { Input::new(input, (n * pitch) as u32) };
    // SAFETY: as many, each written by one thread
    let output = unsafe { Global::new(output, (n * pitch) as u32) };
    let column = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let row = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if row >= n || column >= n {
        return;
    }

    let mut sum = 0.0;
    for j in 0..side {
        unroll(7);
        let y = row + j - RADIUS;
        if y >= 0 && y < n {
            for i in 0..side {
                unroll(7);
                let x = column + i - RADIUS;
                if x >= 0 && x < n {
                    sum = mul_add(filter.taps[(j * side + i) as usize], input[place(y, x, n, pitch)], sum);
                }
            }
        }
    }
    output.set(place(row, column, n, pitch), sum);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionDirect_1(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<1>(input, output, n, pitch, filter) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn convolutionDirect_3(
    input: *const f32,
    output: *mut f32,
    n: i32,
    pitch: i32,
    filter: Filter,
) {
    // SAFETY: the launch meets the function's requirements.
    unsafe { convolve::<3>(input, output, n, pitch, filter) }
}
