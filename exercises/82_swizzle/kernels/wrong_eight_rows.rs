// must fail with limits: shared load conflicts
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn transpose(matrix: *const f32, out: *mut f32, width: u32, height: u32) {
    let (width, height) = (width as usize, height as usize);
    // SAFETY: the arrays have width * height elements, and each element of out is written by one thread
    let (matrix, out) = unsafe { (from_raw_parts(matrix, width * height), Global::new(out, width * height)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([f32; 32 * 32]) };
    // >>> your code
    // The place in the tile of the element in this row and column, both below 32.
    let place = |row: usize, column: usize| row * 32 + (column ^ row % 8);
    // <<<
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let (column, row) = (block_idx().x as usize * 32 + x, block_idx().y as usize * 32 + y);
    if column < width && row < height {
        tile.set(place(y, x), matrix[row * width + column]);
    }
    sync_threads();
    let (out_column, out_row) = (block_idx().y as usize * 32 + x, block_idx().x as usize * 32 + y);
    if out_column < height && out_row < width {
        out.set(out_row * height + out_column, tile.get(place(x, y)));
    }
}
