// reduceShuffleTwoLevel in Rust; 03_reduce_shuffle_two_level.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, kernels, shared, shuffle_down, sync_threads, thread_idx,
    unroll,
};

const PARTS: u32 = 4; // elements per thread

/// Returns the sum of `value` over the warp in lane 0; undefined in other lanes. All 32 lanes must call it.
fn warp_sum(mut value: i32) -> i32 {
    for half in [16, 8, 4, 2, 1] {
        value = value.wrapping_add(shuffle_down(ALL_LANES, value, half));
    }
    value
}

#[inline(always)]
unsafe fn reduce_shuffle_two_level<const BLOCK: usize>(data: *const i32, partials: *mut i32, n: u32) {
    const { assert!(BLOCK as u32 % WARP == 0 && BLOCK as u32 / WARP <= WARP, "one warp adds the sums of all") };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([i32; WARP as usize]) };
    // SAFETY: one element per block, written by its thread 0
    let partials = unsafe { Global::new(partials, grid_dim().x) };
    let t = thread_idx().x; // [0, BLOCK)
    let (block, slice_length) = (BLOCK as u32, PARTS * BLOCK as u32);
    let first = block_idx().x as usize * slice_length as usize;
    let count = if first < n as usize { slice_length.min(n - first as u32) } else { 0 }; // elements
    // SAFETY: the elements are within data, which has n, and no thread writes them
    let slice = unsafe { Input::new(data.wrapping_add(first), count) };

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
    sum = warp_sum(sum);
    if t.is_multiple_of(WARP) {
        warp_sums.set(t / WARP, sum);
    }
    // the first warp reads the sums stored by lane 0 of each warp
    sync_threads();

    if t < WARP {
        let total = warp_sum(if t < block / WARP { warp_sums.get(t) } else { 0 });
        if t == 0 {
            partials.set(block_idx().x, total);
        }
    }
}

kernels! {
    fn (data: *const i32, partials: *mut i32, n: u32);
    reduceShuffleTwoLevel_64 = reduce_shuffle_two_level::<64>;
    reduceShuffleTwoLevel_128 = reduce_shuffle_two_level::<128>;
    reduceShuffleTwoLevel_256 = reduce_shuffle_two_level::<256>;
    reduceShuffleTwoLevel_512 = reduce_shuffle_two_level::<512>;
    reduceShuffleTwoLevel_1024 = reduce_shuffle_two_level::<1024>;
}
