// must fail with limits: global store sectors
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn transpose(matrix: *const f32, out: *mut f32, width: u32, height: u32) {
    let (width, height) = (width as usize, height as usize);
    // SAFETY: the arrays have width * height elements, and each element of out is written by one thread
    let (matrix, out) = unsafe { (from_raw_parts(matrix, width * height), Global::new(out, width * height)) };
    // >>> your code
    let column = block_idx().x as usize * 32 + thread_idx().x as usize;
    let row = block_idx().y as usize * 32 + thread_idx().y as usize;
    if column < width && row < height {
        out.set(column * height + row, matrix[row * width + column]);
    }
    // <<<
}
