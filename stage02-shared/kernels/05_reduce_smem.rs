// reduceSmem of 05_reduce_smem.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, sync_threads, sync_warp, thread_idx, unroll,
};

#[inline(always)]
unsafe fn reduce_smem<const BLOCK: usize>(data: *const i32, partials: *mut i32, n: u32) {
    const { assert!(BLOCK >= 2 * WARP as usize && BLOCK.is_power_of_two(), "the tree halves whole warps") };
    // SAFETY: threads meet between writing an element and reading it
    let tree = unsafe { shared!([i32; BLOCK]) };
    // SAFETY: an element for each block, which its thread 0 writes
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, BLOCK)
    let block = BLOCK as u32;
    let first = block_idx().x as usize * BLOCK;
    let count = if first < n as usize { block.min(n - first as u32) } else { 0 }; // elements, [0, BLOCK]
    // SAFETY: elements of data, which has n; nobody writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };
    let add = |half| {
        if t < half {
            tree.set(t, tree.get(t).wrapping_add(tree.get(t + half)));
        }
    };

    tree.set(t, if t < count { slice[t] } else { 0 });
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
    reduceSmem_64 = reduce_smem::<64>;
    reduceSmem_128 = reduce_smem::<128>;
    reduceSmem_256 = reduce_smem::<256>;
    reduceSmem_512 = reduce_smem::<512>;
    reduceSmem_1024 = reduce_smem::<1024>;
}
