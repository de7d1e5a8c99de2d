// computeForces_Tiling in Rust; 02_compute_forces_tiling.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, Input, block_dim, block_idx, grid_dim, rsqrt, thread_idx};

const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const SOFTENING: f32 = 1e-9; // m^2

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn computeForces_Tiling(
    x: *const f32,
    y: *const f32,
    z: *const f32,
    m: *const f32,
    fx: *mut f32,
    fy: *mut f32,
    fz: *mut f32,
    n: u32,
) {
    // SAFETY: each array has n elements, and no thread writes these
    let [x, y, z, m] = unsafe { [x, y, z, m].map(|array| Input::new(array, n)) };
    // SAFETY: each array has n elements, and only this thread writes elements i, i + stride, ...
    let [fx, fy, fz] = unsafe { [fx, fy, fz].map(|array| Global::new(array, n)) };
    let first = block_idx().x * block_dim().x + thread_idx().x; // [0, grid * block)
    let stride = grid_dim().x * block_dim().x;

    let mut i = first;
    while i < n {
        let (xi, yi, zi) = (x[i], y[i], z[i]);
        let (mut sum_x, mut sum_y, mut sum_z) = (0.0, 0.0, 0.0);
        for j in 0..n {
            let (dx, dy, dz) = (x[j] - xi, y[j] - yi, z[j] - zi);
            // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
            let inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
            let weight = m[j] * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }

        let scale = GRAVITY * m[i];
        fx.set(i, scale * sum_x);
        fy.set(i, scale * sum_y);
        fz.set(i, scale * sum_z);
        i += stride;
    }
}
