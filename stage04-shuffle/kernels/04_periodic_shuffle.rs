// periodicShuffle in Rust; 04_periodic_shuffle.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{ALL_LANES, Global, WARP, block_dim, block_idx, rsqrt, shuffle, thread_idx, unroll};

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
pub unsafe extern "ptx-kernel" fn periodicShuffle(bodies: *mut f32, n: u32) {
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    // SAFETY: there are n records; each thread writes only its own ax and ay, and all read only x and y
    let bodies = unsafe { Global::new(bodies, n as usize * RECORD) };
    let lane = thread_idx().x % WARP; // [0, WARP)
    let i = block_idx().x * block_dim().x + thread_idx().x; // target, [0, grid * block)
    // a lane past n still supplies positions to the others; it recomputes the last body and stores nothing
    let own = i.min(n - 1) as usize * RECORD;

    let (xi, yi) = (bodies.get(own + X), bodies.get(own + Y));
    let (mut ax, mut ay) = (0.0, 0.0);
    for first in (0..n).step_by(WARP as usize) {
        let count = WARP.min(n - first); // positions in this iteration, [1, WARP], equal in all lanes
        let held = (first + lane).min(n - 1) as usize * RECORD;
        let (held_x, held_y) = (bodies.get(held + X), bodies.get(held + Y));

        let mut add = |k: u32| {
            let dx = nearest_image(shuffle(ALL_LANES, held_x, k) - xi);
            let dy = nearest_image(shuffle(ALL_LANES, held_y, k) - yi);
            let inverse = rsqrt(dx * dx + dy * dy);
            let cube = inverse * inverse * inverse;
            // a selection, not a branch: with a branch the lanes of a warp would diverge at the thread's own body
            let weight = if first + k == i { 0.0 } else { cube };
            ax += weight * dx;
            ay += weight * dy;
        };
        // LLVM unrolls a loop with shuffles only if it has no remainder: lanes could diverge at an added branch
        let fours = count - count % 4;
        for k in 0..fours {
            unroll(4);
            add(k);
        }
        for k in fours..count {
            add(k);
        }
    }

    if i < n {
        bodies.set(own + AX, ax);
        bodies.set(own + AY, ay);
    }
}
