// periodicSharedCoalesced in Rust; 04_periodic_shared_coalesced.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{Global, block_idx, launch_bounds, rsqrt, shared, sync_threads, thread_idx, unroll};

const BLOCK: u32 = 256;
const EACH: u32 = 4; // positions copied per thread
const CHUNK: u32 = BLOCK * EACH;

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
pub unsafe extern "ptx-kernel" fn periodicSharedCoalesced(bodies: *mut f32, n: u32) {
    launch_bounds(BLOCK as usize);
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    // SAFETY: there are n records; each thread writes only its own ax and ay, and all read only x and y
    let bodies = unsafe { Global::new(bodies, n as usize * RECORD) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let [chunk_x, chunk_y] = unsafe { [shared!([f32; CHUNK as usize]), shared!([f32; CHUNK as usize])] };
    let t = thread_idx().x; // [0, BLOCK)
    let i = block_idx().x * BLOCK + t; // target, [0, grid * BLOCK)
    // a thread past n still copies and must reach the barriers; it recomputes the last body and stores nothing
    let own = i.min(n - 1) as usize * RECORD;

    let (xi, yi) = (bodies.get(own + X), bodies.get(own + Y));
    let (mut ax, mut ay) = (0.0, 0.0);
    for first in (0..n).step_by(CHUNK as usize) {
        let count = CHUNK.min(n - first); // positions in this chunk, [1, CHUNK]
        for each in 0..EACH {
            unroll(EACH as usize);
            let k = each * BLOCK + t;
            if k < count {
                let record = (first + k) as usize * RECORD;
                chunk_x.set(k, bodies.get(record + X));
                chunk_y.set(k, bodies.get(record + Y));
            }
        }
        // the chunk must be complete before any thread reads it
        sync_threads();

        for k in 0..count {
            let dx = nearest_image(chunk_x.get(k) - xi);
            let dy = nearest_image(chunk_y.get(k) - yi);
            let inverse = rsqrt(dx * dx + dy * dy);
            let cube = inverse * inverse * inverse;
            // a selection, not a branch: with a branch the lanes of a warp would diverge at the thread's own body
            let weight = if first + k == i { 0.0 } else { cube };
            ax += weight * dx;
            ay += weight * dy;
        }
        // a fast warp must not overwrite the chunk while slower warps still read it
        sync_threads();
    }

    if i < n {
        bodies.set(own + AX, ax);
        bodies.set(own + AY, ay);
    }
}
