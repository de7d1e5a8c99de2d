// must fail with limits: global load requests / warps
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(lamps: *const f32, power: *const f32, light: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of light is written by one thread
    let (lamps, power, light) = unsafe { (from_raw_parts(lamps, n), from_raw_parts(power, n), Global::new(light, n)) };
    // >>> your code
    let i = block_idx().x as usize * 128 + thread_idx().x as usize;
    let own = lamps[i.min(n - 1)];
    let mut sum = 0.0;
    for j in 0..n {
        let d = lamps[j] - own;
        sum += power[j] / (d * d + 0.01);
    }
    if i < n {
        light.set(i, sum);
    }
    // <<<
}
