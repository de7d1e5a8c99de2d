// must fail with findings: racecheck: race between blocks
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, grid_dim, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn move_bodies(x: *mut f32, v: *const f32, n: u32, dt: f32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of x is accessed by one thread
    let (x, v) = unsafe { (Global::new(x, n), from_raw_parts(v, n)) };
    // >>> your code
    let i = (block_idx().x * (block_dim().x - 1) + thread_idx().x) as usize;
    // <<<
    if i < n {
        x.set(i, x.get(i) + v[i] * dt);
    }
}
