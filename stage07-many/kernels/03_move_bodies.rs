// move_bodies in Rust; 03_move_bodies.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Float4, Global, block_dim, block_idx, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn move_bodies(
    position: *mut Float4,
    velocity: *mut Float4,
    pulls: *mut f32,
    n: u32,
    dt: f32,
) {
    // SAFETY: each array has n elements, and only this thread reads and writes element i
    let [position, velocity] = unsafe { [position, velocity].map(|array| Global::new(array, n)) };
    // SAFETY: one row of n per component, of which only this thread reads and writes element i
    let pulls = unsafe { Global::new(pulls, 3 * n) };
    let i = block_idx().x * block_dim().x + thread_idx().x; // body, [0, grid * block)
    if i >= n {
        return;
    }

    let (p, v) = (position.get(i), velocity.get(i));
    let (ax, ay, az) = (pulls.get(i), pulls.get(n + i), pulls.get(2 * n + i));
    let half_square = 0.5 * dt * dt;
    let (x, y, z) =
        (p.x + v.x * dt + ax * half_square, p.y + v.y * dt + ay * half_square, p.z + v.z * dt + az * half_square);
    position.set(i, Float4::new(x, y, z, p.w));
    velocity.set(i, Float4::new(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w));
    for row in 0..3 {
        pulls.set(row * n + i, 0.0);
    }
}
