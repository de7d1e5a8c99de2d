// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{ALL_LANES, Global, block_dim, block_idx, shuffle_down, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn warp_sums(data: *const i32, sums: *mut i32, n: u32) {
    let n = n as usize;
    // SAFETY: data has n elements, and sums one per warp, which its lane 0 writes
    let (data, sums) = unsafe { (from_raw_parts(data, n), Global::new(sums, n.div_ceil(32))) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    // >>> your code
    let mut sum = if i < n { data[i] } else { 0 };
    for delta in [8, 4, 2, 1] {
        sum = sum.wrapping_add(shuffle_down(ALL_LANES, sum, delta));
    }
    if i % 32 == 0 {
        sums.set(i / 32, sum);
    }
    // <<<
}
