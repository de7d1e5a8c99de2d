// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, grid_dim, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reversed(data: *const f32, out: *mut f32, tiles: u32) {
    let (tiles, t) = (tiles as usize, thread_idx().x as usize);
    let (first, all) = (block_idx().x as usize * tiles * 128, grid_dim().x as usize * tiles * 128);
    // SAFETY: both arrays have 128 elements per tile of each block, and each element of out is written by one thread
    let (data, out) = unsafe { (from_raw_parts(data, all), Global::new(out, all)) };
    // SAFETY: barriers separate the writes of an element from its reads
    let tile = unsafe { shared!([f32; 2 * 128]) };
    let mut next = data[first + t];
    for i in 0..tiles {
        // >>> your code
        if i + 1 < tiles {
            next = data[first + (i + 1) * 128 + t];
        }
        tile.set(i % 2 * 128 + t, next);
        sync_threads();
        // <<<
        out.set(first + i * 128 + t, 2.0 * tile.get(i % 2 * 128 + 127 - t));
    }
}
