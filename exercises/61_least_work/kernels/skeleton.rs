#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Float4, Global, block_dim, block_idx, shared, sync_threads, thread_idx, unroll};

/// Returns the light of a lamp of power w at a point.
fn light_of(lamp: Float4, point: Float4) -> f32 {
    let (dx, dy, dz) = (lamp.x - point.x, lamp.y - point.y, lamp.z - point.z);
    lamp.w / (dx * dx + dy * dy + dz * dz + 0.01)
}

// >>> your code
// launch <<<8, 128>>>
// <<<

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(lamps: *const Float4, points: *const Float4, light: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: the arrays have n elements, and each element of light is written by one thread
    let (lamps, points, light) =
        unsafe { (from_raw_parts(lamps, n), from_raw_parts(points, n), Global::new(light, n)) };
    // >>> your code
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if i >= n {
        return;
    }
    let own = points[i];
    let mut sum = 0.0;
    for j in 0..n {
        unroll(1);
        sum += light_of(lamps[j], own);
    }
    light.set(i, sum);
    // <<<
}
