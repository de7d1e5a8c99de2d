// must fail with limits: shared bytes
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
    // SAFETY: a barrier separates the writes of an element from its reads
    let (tile_x, tile_p) = unsafe { (shared!([f32; 2500]), shared!([f32; 2500])) };
    let t = thread_idx().x as usize;
    let i = block_idx().x as usize * 128 + t;
    let own = lamps[i.min(n - 1)];
    let mut sum = 0.0;
    for first in (0..n).step_by(2500) {
        let count = (n - first).min(2500);
        for k in (t..count).step_by(128) {
            tile_x.set(k, lamps[first + k]);
            tile_p.set(k, power[first + k]);
        }
        sync_threads();
        for k in 0..count {
            let d = tile_x.get(k) - own;
            sum += tile_p.get(k) / (d * d + 0.01);
        }
        sync_threads();
    }
    if i < n {
        light.set(i, sum);
    }
    // <<<
}
