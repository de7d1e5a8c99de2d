// reduceShuffle in Rust; 02_reduce_shuffle.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, shuffle_down, sync_threads, thread_idx,
    unroll,
};

const PARTS: u32 = 4; // elements per thread

#[inline(always)]
unsafe fn reduce_shuffle<const BLOCK: usize>(data: *const i32, partials: *mut i32, n: u32) {
    const { assert!(BLOCK >= 2 * WARP as usize && BLOCK.is_power_of_two(), "the tree halves whole warps") };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let tree = unsafe { shared!([i32; BLOCK]) };
    // SAFETY: one element per block, written by its thread 0
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, BLOCK)
    let (block, slice_length) = (BLOCK as u32, PARTS * BLOCK as u32);
    let first = block_idx().x as usize * slice_length as usize;
    let count = if first < n as usize { slice_length.min(n - first as u32) } else { 0 }; // elements
    // SAFETY: the elements are within data, which has n, and no thread writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };
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
        unroll(32);
        add(half);
        // the next level reads sums of other warps; outside the `if`, since all threads must reach the barrier
        sync_threads();
        half /= 2;
    }

    if t < WARP {
        let mut total = tree.get(t);
        for half in [16, 8, 4, 2, 1] {
            // lanes from `half` on add values that are not needed; lane 0 ends with the sum
            total = total.wrapping_add(shuffle_down(ALL_LANES, total, half));
        }
        if t == 0 {
            partials.set(block_idx().x, total);
        }
    }
}

kernels! {
    fn (data: *const i32, partials: *mut i32, n: u32);
    reduceShuffle_64 = reduce_shuffle::<64>;
    reduceShuffle_128 = reduce_shuffle::<128>;
    reduceShuffle_256 = reduce_shuffle::<256>;
    reduceShuffle_512 = reduce_shuffle::<512>;
    reduceShuffle_1024 = reduce_shuffle::<1024>;
}
