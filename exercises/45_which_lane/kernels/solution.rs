#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{ALL_LANES, Global, block_dim, block_idx, shuffle, shuffle_down, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(lamps: *const f32, power: *const f32, light: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of light is written by one thread
    let (lamps, power, light) = unsafe { (from_raw_parts(lamps, n), from_raw_parts(power, n), Global::new(light, n)) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    let lane = thread_idx().x as usize % 32;
    let own = lamps[i.min(n - 1)];
    let mut sum = 0.0;
    for first in (0..n).step_by(32) {
        let j = (first + lane).min(n - 1);
        let lamp_x = lamps[j];
        let lamp_p = if first + lane < n { power[j] } else { 0.0 };
        // >>> your code
        for k in 0..32 {
            let x = shuffle(ALL_LANES, lamp_x, k);
            let p = shuffle(ALL_LANES, lamp_p, k);
            let d = x - own;
            sum += p / (d * d + 0.01);
        }
        // <<<
    }
    if i < n {
        light.set(i, sum);
    }
}
