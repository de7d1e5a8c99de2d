// must fail with limits: global load sectors / global load requests
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, grid_dim, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scale(records: *const f32, out: *mut f32, n: u32, factor: f32) {
    let n = n as usize;
    // SAFETY: the arrays have n records of 7 floats, and each float of out is written by one thread
    let (records, out) = unsafe { (from_raw_parts(records, 7 * n), Global::new(out, 7 * n)) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    // >>> your code
    for k in (i..7 * n).step_by((grid_dim().x * block_dim().x) as usize) {
        let other = k % n * 7 + k / n;
        out.set(other, factor * records[other]);
    }
    // <<<
}
