// reduceGmem in Rust; 05_reduce_gmem.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, WARP, block_dim, block_idx, grid_dim, sync_threads, sync_warp, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reduceGmem(data: *mut i32, partials: *mut i32, n: u32) {
    let block = block_dim().x;
    let t = thread_idx().x; // [0, block)
    let first = block_idx().x as usize * block as usize;
    let count = if first < n as usize { block.min(n - first as u32) } else { 0 }; // elements, [0, block]
    // SAFETY: a block uses only its own slice; a barrier separates the write of an element from reads by others
    let slice = unsafe { Global::new(data.wrapping_add(first), count) };
    // SAFETY: one element per block, written by its thread 0
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let add = |half| {
        // `&` instead of `&&`: one branch for both conditions
        if (t < half) & (t + half < count) {
            slice.set(t, slice.get(t).wrapping_add(slice.get(t + half)));
        }
    };

    let mut half = block / 2;
    while half >= WARP {
        add(half);
        // the next level reads sums of other warps; outside the `if`, since all threads must reach the barrier
        sync_threads();
        half /= 2;
    }

    if t < WARP {
        for half in [16, 8, 4, 2, 1] {
            add(half);
            // since Volta, lanes do not run in lockstep, and the next level reads sums of other lanes
            sync_warp(ALL_LANES);
        }
    }

    if t == 0 {
        partials.set(block_idx().x, if count > 0 { slice.get(0) } else { 0 });
    }
}
