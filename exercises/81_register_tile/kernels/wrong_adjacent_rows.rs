// must fail with limits: shared load conflicts
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn multiply(a: *const f32, b: *const f32, c: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the matrices have n * n elements, and each element of c is written by one thread
    let (a, b, c) = unsafe { (from_raw_parts(a, n * n), from_raw_parts(b, n * n), Global::new(c, n * n)) };
    // SAFETY: barriers separate the writes of an element from its reads
    let (tile_a, tile_b) = unsafe { (shared!([f32; 32 * 8]), shared!([f32; 8 * 32])) };
    let (x, y) = (thread_idx().x as usize, thread_idx().y as usize);
    let (first_row, first_column) = (block_idx().y as usize * 32, block_idx().x as usize * 32);
    // >>> your code
    // The place in the block's tile of sum (i, j) of this thread; i and j are below 4.
    let row = |i: usize| y * 4 + i;
    let column = |j: usize| x + 8 * j;
    // <<<
    let mut sums = [[0.0; 4]; 4];
    for first in (0..n).step_by(8) {
        for e in (y * 8 + x..256).step_by(64) {
            let (row_a, column_b) = (first_row + e / 8, first_column + e % 32);
            tile_a.set(e, if row_a < n { a[row_a * n + first + e % 8] } else { 0.0 });
            tile_b.set(e, if column_b < n { b[(first + e / 32) * n + column_b] } else { 0.0 });
        }
        sync_threads();
        for k in 0..8 {
            for i in 0..4 {
                for j in 0..4 {
                    sums[i][j] += tile_a.get(row(i) * 8 + k) * tile_b.get(k * 32 + column(j));
                }
            }
        }
        sync_threads();
    }
    for i in 0..4 {
        for j in 0..4 {
            let (r, s) = (first_row + row(i), first_column + column(j));
            if r < n && s < n {
                c.set(r * n + s, sums[i][j]);
            }
        }
    }
}
