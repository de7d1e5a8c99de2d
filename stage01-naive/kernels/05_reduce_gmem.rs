// reduceGmem of 05_reduce_gmem.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use device::{ALL_LANES, Global, WARP, block_dim, block_idx, grid_dim, sync_threads, sync_warp, thread_idx};

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reduceGmem(data: *mut i32, partials: *mut i32, n: u32) {
    let block = block_dim().x;
    let t = thread_idx().x; // [0, block)
    let first = block_idx().x as usize * block as usize;
    let count = if first < n as usize { block.min(n - first as u32) } else { 0 }; // elements, [0, block]
    // SAFETY: a block uses its own slice alone, and its threads meet between writing an element and reading it
    let slice = unsafe { Global::new(data.wrapping_add(first), count) };
    // SAFETY: an element for each block, which its thread 0 writes
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let add = |half| {
        // `&`, so that there is one branch for both
        if (t < half) & (t + half < count) {
            slice.set(t, slice.get(t).wrapping_add(slice.get(t + half)));
        }
    };

    let mut half = block / 2;
    while half >= WARP {
        add(half);
        // the next level reads what other warps write here; outside of the `if`, since all threads must arrive
        sync_threads();
        half /= 2;
    }

    if t < WARP {
        for half in [16, 8, 4, 2, 1] {
            add(half);
            // lanes do not run in lockstep since Volta: the next level reads what other lanes write here
            sync_warp(ALL_LANES);
        }
    }

    if t == 0 {
        partials.set(block_idx().x, if count > 0 { slice.get(0) } else { 0 });
    }
}
