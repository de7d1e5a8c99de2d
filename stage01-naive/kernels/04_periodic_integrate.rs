// periodicIntegrate of 04_periodic_integrate.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, block_dim, block_idx, floor, thread_idx};

// the floats of a body, and their number
const X: usize = 0;
const Y: usize = 1;
const VX: usize = 2;
const VY: usize = 3;
const AX: usize = 4;
const AY: usize = 5;
const RECORD: usize = 6;

/// The image of `x`, any finite value, that lies in [0, 1).
fn wrap(x: f32) -> f32 {
    let fraction = x - floor(x);
    // a tiny negative x rounds up to 1, which is the image of 0
    if fraction < 1.0 { fraction } else { fraction - 1.0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn periodicIntegrate(bodies: *mut f32, n: u32, dt: f32) {
    // SAFETY: n records; a thread uses its own alone
    let bodies = unsafe { Global::new(bodies, n as usize * RECORD) };
    let i = block_idx().x * block_dim().x + thread_idx().x; // body, [0, grid * block)
    if i >= n {
        return;
    }

    let own = i as usize * RECORD;
    let vx = bodies.get(own + VX) + bodies.get(own + AX) * dt;
    let vy = bodies.get(own + VY) + bodies.get(own + AY) * dt;
    bodies.set(own + VX, vx);
    bodies.set(own + VY, vy);
    bodies.set(own + X, wrap(bodies.get(own + X) + vx * dt));
    bodies.set(own + Y, wrap(bodies.get(own + Y) + vy * dt));
}
