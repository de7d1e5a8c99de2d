// periodicIntegrate in Rust; 04_periodic_integrate.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, block_dim, block_idx, floor, thread_idx};

// the fields of a record, and their number
const X: usize = 0;
const Y: usize = 1;
const VX: usize = 2;
const VY: usize = 3;
const AX: usize = 4;
const AY: usize = 5;
const RECORD: usize = 6;

/// Returns the image in [0, 1) of `x`, any finite value.
fn wrap(x: f32) -> f32 {
    let fraction = x - floor(x);
    // for a tiny negative x the difference rounds to 1, which is the image of 0
    if fraction < 1.0 { fraction } else { fraction - 1.0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn periodicIntegrate(bodies: *mut f32, n: u32, dt: f32) {
    // SAFETY: there are n records, and a thread uses only its own
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
