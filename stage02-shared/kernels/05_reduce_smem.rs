// reduceSmem in Rust; 05_reduce_smem.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, sync_threads, sync_warp, thread_idx, unroll,
};

#[inline(always)]
unsafe fn reduce_smem<const BLOCK: usize>(data: *const i32, partials: *mut i32, n: u32) {
    const { assert!(BLOCK >= 2 * WARP as usize && BLOCK.is_power_of_two(), "the tree halves whole warps") };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tree = unsafe { shared!([i32; BLOCK]) };
    // SAFETY: one element per block, written by its thread 0
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, BLOCK)
    let block = BLOCK as u32;
    let first = block_idx().x as usize * BLOCK;
    let count = if first < n as usize { block.min(n - first as u32) } else { 0 }; // elements, [0, BLOCK]
    // SAFETY: the elements are within data, which has n, and no thread writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };
    let add = |half| {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
    };

    tree.set(t, if t < count { slice[t] } else { 0 });
    // the first level reads sums of other warps
    sync_threads();

    let mut half = block / 2;
    while half >= WARP {
        unroll(32);
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

kernels! {
    fn (data: *const i32, partials: *mut i32, n: u32);
    reduceSmem_64 = reduce_smem::<64>;
    reduceSmem_128 = reduce_smem::<128>;
    reduceSmem_256 = reduce_smem::<256>;
    reduceSmem_512 = reduce_smem::<512>;
    reduceSmem_1024 = reduce_smem::<1024>;
}
