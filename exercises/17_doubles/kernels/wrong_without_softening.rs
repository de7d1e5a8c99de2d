// must fail with results:
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Global, block_dim, block_idx, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(
    lamps: *const f32,
    power: *const f32,
    lamp_count: u32,
    points: *const f32,
    light: *mut f32,
    point_count: u32,
) {
    let (lamp_count, point_count) = (lamp_count as usize, point_count as usize);
    // SAFETY: lamps and power have lamp_count elements
    let (lamps, power) = unsafe { (from_raw_parts(lamps, lamp_count), from_raw_parts(power, lamp_count)) };
    // SAFETY: points and light have point_count elements, and each element of light is written by one thread
    let (points, light) = unsafe { (from_raw_parts(points, point_count), Global::new(light, point_count)) };
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if i >= point_count {
        return;
    }
    let own = points[i];
    let mut sum = 0.0_f32;
    for j in 0..lamp_count {
        let d = lamps[j] - own;
        // >>> your code
        sum += power[j] / (d * d);
        // <<<
    }
    light.set(i, sum);
}
