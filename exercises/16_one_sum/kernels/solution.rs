#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, grid_dim, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sum(data: *const f32, total: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: data has n elements, and total has one
    let (data, total) = unsafe { (from_raw_parts(data, n), Global::new(total, 1)) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let stride = (grid_dim().x * block_dim().x) as usize;
    // >>> your code
    let mut sum = 0.0;
    for k in (i..n).step_by(stride) {
        sum += data[k];
    }
    total.fetch_add(0, sum);
    // <<<
}
