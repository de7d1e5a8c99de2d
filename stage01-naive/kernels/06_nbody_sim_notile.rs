// nbody_sim_notile in Rust; 06_nbody_sim_notile.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, Input, block_dim, block_idx, rsqrt, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn nbody_sim_notile(
    position: *const Float4,
    velocity: *const Float4,
    new_position: *mut Float4,
    new_velocity: *mut Float4,
    n: u32,
    dt: f32,
    epsilon_squared: f32,
) {
    // SAFETY: each array has n elements, and no thread writes these
    let [position, velocity] = unsafe { [position, velocity].map(|array| Input::new(array, n)) };
    // SAFETY: each array has n elements, and only this thread writes element i
    let [new_position, new_velocity] = unsafe { [new_position, new_velocity].map(|array| Global::new(array, n)) };
    let i = block_idx().x * block_dim().x + thread_idx().x; // body, [0, grid * block)
    if i >= n {
        return;
    }

    let p = position[i];
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    for j in 0..n {
        let source = position[j];
        let (dx, dy, dz) = (source.x - p.x, source.y - p.y, source.z - p.z);
        let inverse = rsqrt(dx * dx + dy * dy + dz * dz + epsilon_squared);
        let weight = source.w * inverse * inverse * inverse;
        ax += weight * dx;
        ay += weight * dy;
        az += weight * dz;
    }

    let v = velocity[i];
    let half_square = 0.5 * dt * dt;
    let x = p.x + v.x * dt + ax * half_square;
    let y = p.y + v.y * dt + ay * half_square;
    let z = p.z + v.z * dt + az * half_square;
    new_position.set(i, Float4::new(x, y, z, p.w));
    new_velocity.set(i, Float4::new(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w));
}
