// reduceStreaming in Rust; 24_reduce_streaming.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{
    ALL_LANES, Global, Int4, Shared, block_idx, grid_dim, kernels, load_streaming, shared, shuffle_xor, sync_threads,
    thread_fence, thread_idx, unroll,
};

const WARP: usize = device::WARP as usize;
/// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
#[inline(always)]
fn warp_sum(mut value: i32) -> i32 {
    for mask in [16, 8, 4, 2, 1] {
        value = value.wrapping_add(shuffle_xor(ALL_LANES, value, mask));
    }
    value
}

/// Returns the sum of `value` over the block in thread 0. All threads must call it; `warp_sums` has one word per warp.
#[inline(always)]
fn block_sum<const BLOCK: usize>(value: i32, warp_sums: Shared<i32>) -> i32 {
    let t = thread_idx().x as usize;
    let value = warp_sum(value);
    if t % WARP == 0 {
        warp_sums.set(t / WARP, value);
    }
    // the first warp reads the sums stored by lane 0 of each warp
    sync_threads();
    if t < WARP { warp_sum(if t < BLOCK / WARP { warp_sums.get(t) } else { 0 }) } else { 0 }
}

fn sum_of(values: Int4) -> i32 {
    values.x.wrapping_add(values.y).wrapping_add(values.z).wrapping_add(values.w)
}

/// Returns the thread's partial sum: groups of four elements with a stride of the grid, then the remaining elements.
#[inline(always)]
fn own_share<const BLOCK: usize>(groups: &[Int4], past: &[i32]) -> i32 {
    const LOADS: usize = 4; // loads of four elements in flight per thread
    let step = grid_dim().x as usize * BLOCK;
    let first = block_idx().x as usize * BLOCK + thread_idx().x as usize; // [0, step)

    let mut sum = 0_i32;
    let mut i = first;
    while i + (LOADS - 1) * step < groups.len() {
        let mut loaded = [Int4::default(); LOADS];
        for k in 0..LOADS {
            unroll(LOADS);
            // SAFETY: the last of the four groups is in bounds. No check between the loads: all are in flight before
            // the first is added
            loaded[k] = load_streaming(unsafe { groups.get_unchecked(i + k * step) });
        }
        for k in 0..LOADS {
            unroll(LOADS);
            sum = sum.wrapping_add(sum_of(loaded[k]));
        }
        i += LOADS * step;
    }
    while i < groups.len() {
        unroll(1);
        sum = sum.wrapping_add(sum_of(load_streaming(&groups[i])));
        i += step;
    }
    if first < past.len() {
        sum = sum.wrapping_add(past[first]);
    }
    sum
}

/// Returns whether this block is the last of the grid to call this; it then sees the earlier stores of the others. All
/// threads must call it, after a barrier that follows the block's own store.
#[inline(always)]
fn is_last_block(arrived: Global<u32>) -> bool {
    // SAFETY: a barrier separates the write of the element from its reads
    let is_last = unsafe { shared!([u8; 1]) };
    if thread_idx().x == 0 {
        // the sum is stored before the increment: a block that sees the increment sees the sum
        thread_fence();
        is_last.set(0, u8::from(arrived.fetch_add(0, 1) == grid_dim().x - 1));
        thread_fence();
    }
    sync_threads();
    is_last.get(0) != 0
}

#[inline(always)]
unsafe fn reduce_streaming<const BLOCK: usize>(
    data: *const i32,
    partials: *mut i32,
    n: u32,
    arrived: *mut u32,
    total: *mut i32,
) {
    let n = n as usize;
    // SAFETY: there are n elements, groups of four and a remainder, and no thread writes them
    let (groups, past) =
        unsafe { (from_raw_parts(data.cast::<Int4>(), n / 4), from_raw_parts(data.wrapping_add(n / 4 * 4), n % 4)) };
    // SAFETY: one element per block, written by its thread 0 and read by the last block after a fence
    let partials = unsafe { Global::new(partials, grid_dim().x as usize) };
    // SAFETY: blocks increment `arrived` atomically, and only the last of them writes both
    let (arrived, total) = unsafe { (Global::new(arrived, 1), Global::new(total, 1)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([i32; WARP]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let own = block_sum::<BLOCK>(own_share::<BLOCK>(groups, past), warp_sums);
    if t == 0 {
        partials.set(block_idx().x as usize, own);
    }
    if !is_last_block(arrived) {
        return;
    }

    // from L2, which has the stores of other multiprocessors: L1 might contain stale values
    let mut sum = 0_i32;
    let mut b = t;
    while b < grid_dim().x as usize {
        unroll(1);
        sum = sum.wrapping_add(partials.get_from_l2(b));
        b += BLOCK;
    }
    let sum = block_sum::<BLOCK>(sum, warp_sums);
    if t == 0 {
        total.set(0, sum);
        arrived.set(0, 0); // for the next launch
    }
}

kernels! {
    fn (data: *const i32, partials: *mut i32, n: u32, arrived: *mut u32, total: *mut i32);
    reduceStreaming_64 = reduce_streaming::<64>;
    reduceStreaming_128 = reduce_streaming::<128>;
    reduceStreaming_256 = reduce_streaming::<256>;
    reduceStreaming_512 = reduce_streaming::<512>;
    reduceStreaming_1024 = reduce_streaming::<1024>;
}
