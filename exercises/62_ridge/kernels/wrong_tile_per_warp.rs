// must fail with limits: warp instructions of class float
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
    // SAFETY: a barrier of the warp separates the writes of an element from its reads
    let tile = unsafe { shared!([f32; 640]) };
    let (warp, lane) = (t / 32, t % 32);
    let mut sum = 0.0;
    for turn in 0..2 {
        for e in (lane..160).step_by(32) {
            let j = i - lane + e;
            tile.set(warp * 160 + e, if j >= 64 && j - 64 < n { data[j - 64] } else { 0.0 });
        }
        device::sync_warp(device::ALL_LANES);
        for k in turn * 64..turn * 65 + 64 {
            sum += weights()[k] * tile.get(warp * 160 + lane + k);
        }
        device::sync_warp(device::ALL_LANES);
    }
    if i < n {
        out.set(i, sum);
    }
    // <<<
}
