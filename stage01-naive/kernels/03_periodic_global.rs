// periodicGlobal in Rust; 03_periodic_global.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{Global, block_dim, block_idx, rsqrt, thread_idx};

// the fields of a record, and their number
const X: usize = 0;
const Y: usize = 1;
const AX: usize = 4;
const AY: usize = 5;
const RECORD: usize = 6;

/// Returns the image in [-0.5, 0.5] of the displacement `d`, in (-1, 1).
fn nearest_image(d: f32) -> f32 {
    let box_ = if d > 0.5 {
        1.0
    } else if d < -0.5 {
        -1.0
    } else {
        0.0
    };
    d - box_
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn periodicGlobal(bodies: *mut f32, n: u32) {
    // SAFETY: there are n records; each thread writes only its own ax and ay, and all read only x and y
    let bodies = unsafe { Global::new(bodies, n as usize * RECORD) };
    let i = block_idx().x * block_dim().x + thread_idx().x; // target, [0, grid * block)
    if i >= n {
        return;
    }

    let own = i as usize * RECORD;
    let (xi, yi) = (bodies.get(own + X), bodies.get(own + Y));
    let (mut ax, mut ay) = (0.0, 0.0);
    for j in 0..n {
        let source = j as usize * RECORD;
        let dx = nearest_image(bodies.get(source + X) - xi);
        let dy = nearest_image(bodies.get(source + Y) - yi);
        let inverse = rsqrt(dx * dx + dy * dy);
        let cube = inverse * inverse * inverse;
        // a selection, not a branch: with a branch the lanes of a warp would diverge at j = i
        let weight = if j == i { 0.0 } else { cube };
        ax += weight * dx;
        ay += weight * dy;
    }

    bodies.set(own + AX, ax);
    bodies.set(own + AY, ay);
}
