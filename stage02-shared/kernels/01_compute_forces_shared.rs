// computeForces_Shared in Rust; 01_compute_forces_shared.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, Input, block_idx, kernels, rsqrt, shared, sync_threads, thread_idx, unroll};

const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const SOFTENING: f32 = 1e-9; // m^2

#[inline(always)]
unsafe fn compute_forces_shared<const BLOCK: usize>(
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
    // SAFETY: each array has n elements, and only this thread writes element i
    let [fx, fy, fz] = unsafe { [fx, fy, fz].map(|array| Global::new(array, n)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let [tile_x, tile_y, tile_z, tile_m] =
        unsafe { [shared!([f32; BLOCK]), shared!([f32; BLOCK]), shared!([f32; BLOCK]), shared!([f32; BLOCK])] };
    let block = BLOCK as u32;
    let t = thread_idx().x; // [0, BLOCK)
    let i = block_idx().x * block + t; // target, [0, grid * BLOCK)
    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    let own = i.min(n - 1);

    let (xi, yi, zi) = (x[own], y[own], z[own]);
    let (mut sum_x, mut sum_y, mut sum_z) = (0.0, 0.0, 0.0);
    for first in (0..n).step_by(BLOCK) {
        let j = (first + t).min(n - 1); // past n: the last body, with zero mass
        let mass = m[j];
        tile_x.set(t, x[j]);
        tile_y.set(t, y[j]);
        tile_z.set(t, z[j]);
        tile_m.set(t, if first + t < n { mass } else { 0.0 });
        // the tile must be complete before any thread reads it
        sync_threads();

        for k in 0..block {
            unroll(4);
            let (dx, dy, dz) = (tile_x.get(k) - xi, tile_y.get(k) - yi, tile_z.get(k) - zi);
            // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
            let inverse = rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
            let weight = tile_m.get(k) * inverse * inverse * inverse;
            sum_x += weight * dx;
            sum_y += weight * dy;
            sum_z += weight * dz;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        sync_threads();
    }

    if i < n {
        let scale = GRAVITY * m[i];
        fx.set(i, scale * sum_x);
        fy.set(i, scale * sum_y);
        fz.set(i, scale * sum_z);
    }
}

kernels! {
    fn (x: *const f32, y: *const f32, z: *const f32, m: *const f32, fx: *mut f32, fy: *mut f32, fz: *mut f32, n: u32);
    computeForces_Shared_32 = compute_forces_shared::<32>;
    computeForces_Shared_64 = compute_forces_shared::<64>;
    computeForces_Shared_128 = compute_forces_shared::<128>;
    computeForces_Shared_256 = compute_forces_shared::<256>;
    computeForces_Shared_512 = compute_forces_shared::<512>;
    computeForces_Shared_1024 = compute_forces_shared::<1024>;
}
