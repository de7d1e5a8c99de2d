// computeForces_Tiling_Shuffle in Rust; 01_compute_forces_tiling_shuffle.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{ALL_LANES, Global, Input, WARP, block_dim, block_idx, grid_dim, rsqrt, shuffle, thread_idx, unroll};

const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const SOFTENING: f32 = 1e-9; // m^2

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn computeForces_Tiling_Shuffle(
    x: *const f32,
    y: *const f32,
    z: *const f32,
    m: *const f32,
    fx: *mut f32,
    fy: *mut f32,
    fz: *mut f32,
    n: u32,
) {
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    // SAFETY: each array has n elements, and no thread writes these
    let [x, y, z, m] = unsafe { [x, y, z, m].map(|array| Input::new(array, n)) };
    // SAFETY: each array has n elements, and only this thread writes elements i, i + stride, ...
    let [fx, fy, fz] = unsafe { [fx, fy, fz].map(|array| Global::new(array, n)) };
    let lane = thread_idx().x % WARP; // [0, WARP)
    let first_of_warp = block_idx().x * block_dim().x + thread_idx().x - lane;
    let stride = grid_dim().x * block_dim().x;

    let mut first_target = first_of_warp;
    while first_target < n {
        let i = first_target + lane;
        // a lane past n still supplies sources to the others; it recomputes the last body and stores nothing
        let own = i.min(n - 1);

        let (xi, yi, zi) = (x[own], y[own], z[own]);
        let (mut sum_x, mut sum_y, mut sum_z) = (0.0, 0.0, 0.0);
        for first in (0..n).step_by(WARP as usize) {
            let j = (first + lane).min(n - 1); // past n: the last body, with zero mass
            let (held_x, held_y, held_z, mass) = (x[j], y[j], z[j], m[j]);
            let held_m = if first + lane < n { mass } else { 0.0 };

            for k in 0..WARP {
                unroll(WARP as usize);
                let dx = shuffle(ALL_LANES, held_x, k) - xi;
                let dy = shuffle(ALL_LANES, held_y, k) - yi;
                let dz = shuffle(ALL_LANES, held_z, k) - zi;
                // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
                let inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
                let weight = shuffle(ALL_LANES, held_m, k) * inverse * inverse * inverse;
                sum_x += weight * dx;
                sum_y += weight * dy;
                sum_z += weight * dz;
            }
        }

        if i < n {
            let scale = GRAVITY * m[i];
            fx.set(i, scale * sum_x);
            fy.set(i, scale * sum_y);
            fz.set(i, scale * sum_z);
        }
        first_target += stride;
    }
}
