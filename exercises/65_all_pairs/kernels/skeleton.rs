#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{Float4, Global, block_dim, block_idx, grid_dim, rsqrt, shared, sync_threads, thread_idx, unroll};

// >>> your code
// launch <<<n / 128, 128>>>
// <<<

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces(bodies: *const Float4, forces: *mut f32, n: u32) {
    let n = n as usize;
    // SAFETY: bodies has n elements and forces has 3 n, which threads write once or add to
    let (bodies, forces) = unsafe { (from_raw_parts(bodies, n), Global::new(forces, 3 * n)) };
    // >>> your code
    let i = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if i < n {
        let own = bodies[i];
        let (mut sum_x, mut sum_y, mut sum_z) = (0.0, 0.0, 0.0);
        for j in 0..n {
            let source = bodies[j];
            let (dx, dy, dz) = (source.x - own.x, source.y - own.y, source.z - own.z);
            let inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01);
            let weight = source.w * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        forces.set(i, own.w * sum_x);
        forces.set(n + i, own.w * sum_y);
        forces.set(2 * n + i, own.w * sum_z);
    }
    // <<<
}
