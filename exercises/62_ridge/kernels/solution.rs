#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, constant, shared, sync_threads, thread_idx};

constant!(weights: [f32; 129]);

// out[i] is the sum of weights[k] * data[i + k - 64] over all elements of data that exist.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn smooth(data: *const f32, out: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of out is written by one thread
    let (data, out) = unsafe { (from_raw_parts(data, n), Global::new(out, n)) };
    let t = thread_idx().x as usize;
    let i = block_idx().x as usize * 128 + t;
    // >>> your code
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([f32; 256]) };
    tile.set(t, if i >= 64 && i - 64 < n { data[i - 64] } else { 0.0 });
    tile.set(t + 128, if i + 64 < n { data[i + 64] } else { 0.0 });
    sync_threads();
    let mut sum = 0.0;
    for k in 0..129 {
        sum += weights()[k] * tile.get(t + k);
    }
    if i < n {
        out.set(i, sum);
    }
    // <<<
}
