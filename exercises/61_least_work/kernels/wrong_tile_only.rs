// must fail with limits: warp instructions
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
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([Float4; 128]) };
    let t = thread_idx().x as usize;
    let first = block_idx().x as usize * 128 + t;
    let own: [Float4; 1] = core::array::from_fn(|e| points[(first + e * 128).min(n - 1)]);
    let mut sum = [0.0; 1];
    for begin in (0..n).step_by(128) {
        tile.set(t, if begin + t < n { lamps[begin + t] } else { Float4::new(0.0, 0.0, 0.0, 0.0) });
        sync_threads();
        for k in 0..128 {
            unroll(1);
            let lamp = tile.get(k);
            for e in 0..1 {
                unroll(1);
                sum[e] += light_of(lamp, own[e]);
            }
        }
        sync_threads();
    }
    for e in 0..1 {
        unroll(1);
        if first + e * 128 < n {
            light.set(first + e * 128, sum[e]);
        }
    }
    // <<<
}
