// must fail with findings: synccheck: barrier with divergent threads
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_idx, shared, sync_threads, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(lamps: *const f32, power: *const f32, light: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of light is written by one thread
    let (lamps, power, light) = unsafe { (from_raw_parts(lamps, n), from_raw_parts(power, n), Global::new(light, n)) };
    // SAFETY: a barrier separates the writes of an element from its reads
    let (tile_x, tile_p) = unsafe { (shared!([f32; 128]), shared!([f32; 128])) };
    let t = thread_idx().x as usize;
    let i = block_idx().x as usize * 128 + t;
    let own = if i < n { lamps[i] } else { 0.0 };
    let mut sum = 0.0;
    // >>> your code
    for first in (0..n).step_by(128) {
        let j = first + t;
        tile_x.set(t, if j < n { lamps[j] } else { 0.0 });
        tile_p.set(t, if j < n { power[j] } else { 0.0 });
        sync_threads();
        if i < n {
            for k in 0..128 {
                let d = tile_x.get(k) - own;
                sum += tile_p.get(k) / (d * d + 0.01);
            }
            sync_threads();
        }
    }
    if i < n {
        light.set(i, sum);
    }
    // <<<
}
