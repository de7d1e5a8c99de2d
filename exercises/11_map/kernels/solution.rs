#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn add(a: *const f32, b: *const f32, sum: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of sum is written by one thread
    let (a, b, sum) = unsafe { (from_raw_parts(a, n), from_raw_parts(b, n), Global::new(sum, n)) };
    // >>> your code
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    // <<<
    sum.set(i, a[i] + b[i]);
}
