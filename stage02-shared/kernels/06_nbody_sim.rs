// nbody_sim in Rust; 06_nbody_sim.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Float4, Global, Input, block_dim, block_idx, dynamic_shared, rsqrt, sync_threads, thread_idx, unroll};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn nbody_sim(
    position: *const Float4,
    velocity: *const Float4,
    new_position: *mut Float4,
    new_velocity: *mut Float4,
    n: u32,
    dt: f32,
    epsilon_squared: f32,
) {
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    let block = block_dim().x;
    // SAFETY: each array has n elements, and no thread writes these
    let [position, velocity] = unsafe { [position, velocity].map(|array| Input::new(array, n)) };
    // SAFETY: each array has n elements, and only this thread writes element i
    let [new_position, new_velocity] = unsafe { [new_position, new_velocity].map(|array| Global::new(array, n)) };
    // SAFETY: the launch provides 16 * block bytes; a barrier separates the write of an element from reads by others
    let tiles = unsafe { dynamic_shared::<f32>(4 * block) };
    // four arrays of `block` floats
    let [tile_x, tile_y, tile_z, tile_m] = [0, 1, 2, 3].map(|tile| tiles.part(tile * block, block));
    let t = thread_idx().x; // [0, block)
    let i = block_idx().x * block + t; // body, [0, grid * block)

    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    let p = position[i.min(n - 1)];
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    let mut first = 0;
    while first < n {
        let loaded = position[(first + t).min(n - 1)]; // past n: the last body, with zero mass
        tile_x.set(t, loaded.x);
        tile_y.set(t, loaded.y);
        tile_z.set(t, loaded.z);
        tile_m.set(t, if first + t < n { loaded.w } else { 0.0 });
        // the tile must be complete before any thread reads it
        sync_threads();

        for k in 0..block {
            unroll(1);
            let (dx, dy, dz) = (tile_x.get(k) - p.x, tile_y.get(k) - p.y, tile_z.get(k) - p.z);
            let inverse = rsqrt(dx * dx + dy * dy + dz * dz + epsilon_squared);
            let weight = tile_m.get(k) * inverse * inverse * inverse;
            ax += weight * dx;
            ay += weight * dy;
            az += weight * dz;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        sync_threads();
        first += block;
    }

    if i < n {
        let v = velocity[i];
        let half_square = 0.5 * dt * dt;
        let x = p.x + v.x * dt + ax * half_square;
        let y = p.y + v.y * dt + ay * half_square;
        let z = p.z + v.z * dt + az * half_square;
        new_position.set(i, Float4::new(x, y, z, p.w));
        new_velocity.set(i, Float4::new(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w));
    }
}
