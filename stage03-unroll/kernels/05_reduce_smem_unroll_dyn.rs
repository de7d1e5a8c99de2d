// reduceSmemUnrollDyn in Rust; 05_reduce_smem_unroll_dyn.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{
    ALL_LANES, Global, Input, WARP, block_dim, block_idx, dynamic_shared, grid_dim, sync_threads, sync_warp,
    thread_idx, unroll,
};

const PARTS: u32 = 4; // elements per thread

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reduceSmemUnrollDyn(data: *const i32, partials: *mut i32, n: u32) {
    let block = block_dim().x;
    // SAFETY: the host does not launch smaller blocks
    unsafe { assert_unchecked(block >= 64) };
    // SAFETY: the launch provides 4 * block bytes; a barrier separates the write of an element from reads by others
    let tree = unsafe { dynamic_shared::<i32>(block) };
    // SAFETY: one element per block, written by its thread 0
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, block)
    let slice_length = PARTS * block;
    let first = block_idx().x as usize * slice_length as usize;
    let count = if first < n as usize { slice_length.min(n - first as u32) } else { 0 }; // elements
    // SAFETY: the elements are within data, which has n, and no thread writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };
    // at the top of the tree the compiler cannot prove that t + half is in bounds; the check is a compare and a branch
    let add = |half| {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
    };

    let mut sum = 0_i32;
    if count == slice_length {
        // no branch between the four loads: all are in flight before the first is added
        for part in 0..PARTS {
            unroll(PARTS as usize);
            sum = sum.wrapping_add(slice[part * block + t]);
        }
    } else {
        let mut k = t;
        while k < count {
            sum = sum.wrapping_add(slice[k]);
            k += block;
        }
    }
    tree.set(t, sum);
    // the first level reads sums of other warps
    sync_threads();

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
        partials.set(block_idx().x, tree.get(0));
    }
}
