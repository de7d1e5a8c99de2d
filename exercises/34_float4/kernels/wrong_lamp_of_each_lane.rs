// must fail with limits: shared load conflicts
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Float4, Global, block_idx, shared, sync_threads, thread_idx, unroll};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn light(
    x: *const f32,
    y: *const f32,
    z: *const f32,
    power: *const f32,
    light: *mut f32,
    n: u32,
) {
    let n = n as usize;
    // SAFETY: the arrays have n elements
    let [x, y, z, power] = unsafe { [x, y, z, power].map(|array| from_raw_parts(array, n)) };
    // SAFETY: light has n elements, and each is written by one thread
    let light = unsafe { Global::new(light, n) };
    let t = thread_idx().x as usize;
    let i = block_idx().x as usize * 128 + t;
    let own = i.min(n - 1);
    let (own_x, own_y, own_z) = (x[own], y[own], z[own]);
    let mut sum = 0.0;
    // >>> your code
    // SAFETY: a barrier separates the writes of an element from its reads
    let tile = unsafe { shared!([Float4; 128]) };
    for first in (0..n).step_by(128) {
        let j = (first + t).min(n - 1);
        let p = if first + t < n { power[j] } else { 0.0 };
        tile.set(t, Float4::new(x[j], y[j], z[j], p));
        sync_threads();
        for k in 0..128 {
            unroll(1);
            let lamp = tile.get((k + 2 * t) % 128);
            let (lamp_x, lamp_y, lamp_z, lamp_p) = (lamp.x, lamp.y, lamp.z, lamp.w);
            let (dx, dy, dz) = (lamp_x - own_x, lamp_y - own_y, lamp_z - own_z);
            sum += lamp_p / (dx * dx + dy * dy + dz * dz + 0.01);
        }
        sync_threads();
    }
    // <<<
    if i < n {
        light.set(i, sum);
    }
}
