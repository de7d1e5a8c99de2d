// reduceSmemUnroll of 04_reduce_smem_unroll.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, sync_threads, sync_warp, thread_idx, unroll,
};

const PARTS: u32 = 4; // elements that a thread adds

#[inline(always)]
unsafe fn reduce_smem_unroll<const BLOCK: usize>(data: *const i32, partials: *mut i32, n: u32) {
    const { assert!(BLOCK >= 2 * WARP as usize && BLOCK.is_power_of_two(), "the tree halves whole warps") };
    // SAFETY: threads meet between writing an element and reading it
    let tree = unsafe { shared!([i32; BLOCK]) };
    // SAFETY: an element for each block, which its thread 0 writes
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, BLOCK)
    let (block, slice_length) = (BLOCK as u32, PARTS * BLOCK as u32);
    let first = block_idx().x as usize * slice_length as usize;
    let count = if first < n as usize { slice_length.min(n - first as u32) } else { 0 }; // elements
    // SAFETY: elements of data, which has n; nobody writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };
    let add = |half| {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
    };

    let mut sum = 0_i32;
    if count == slice_length {
        // no guard between the four loads, so that all are under way before the first is added
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
    // the first level reads what other warps have stored
    sync_threads();

    let mut half = block / 2;
    while half >= WARP {
        unroll(32);
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
        partials.set(block_idx().x, tree.get(0));
    }
}

kernels! {
    fn (data: *const i32, partials: *mut i32, n: u32);
    reduceSmemUnroll_64 = reduce_smem_unroll::<64>;
    reduceSmemUnroll_128 = reduce_smem_unroll::<128>;
    reduceSmemUnroll_256 = reduce_smem_unroll::<256>;
    reduceSmemUnroll_512 = reduce_smem_unroll::<512>;
    reduceSmemUnroll_1024 = reduce_smem_unroll::<1024>;
}
