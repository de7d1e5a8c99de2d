// reduceStreaming of 24_reduce_streaming.cu, whose card it has, in Rust.
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{
    ALL_LANES, Global, Int4, Shared, block_idx, grid_dim, kernels, load_streaming, shared, shuffle_xor, sync_threads,
    thread_fence, thread_idx, unroll,
};

const WARP: usize = device::WARP as usize;
/// The sum of `value` over the warp, in all lanes. All 32 lanes must call.
#[inline(always)]
fn warp_sum(mut value: i32) -> i32 {
    for mask in [16, 8, 4, 2, 1] {
        value = value.wrapping_add(shuffle_xor(ALL_LANES, value, mask));
    }
    value
}

/// The sum of `value` over the block, in thread 0. All threads must call; `warp_sums` has a word for each warp.
#[inline(always)]
fn block_sum<const BLOCK: usize>(value: i32, warp_sums: Shared<i32>) -> i32 {
    let t = thread_idx().x as usize;
    let value = warp_sum(value);
    if t % WARP == 0 {
        warp_sums.set(t / WARP, value);
    }
    // the first warp reads what lane 0 of each has stored
    sync_threads();
    if t < WARP { warp_sum(if t < BLOCK / WARP { warp_sums.get(t) } else { 0 }) } else { 0 }
}

fn sum_of(values: Int4) -> i32 {
    values.x.wrapping_add(values.y).wrapping_add(values.z).wrapping_add(values.w)
}

/// The thread's share of the sum: groups of four elements a whole grid apart, then the last elements past them.
#[inline(always)]
fn own_share<const BLOCK: usize>(groups: &[Int4], past: &[i32]) -> i32 {
    const LOADS: usize = 4; // loads of four elements under way in a thread
    let step = grid_dim().x as usize * BLOCK;
    let first = block_idx().x as usize * BLOCK + thread_idx().x as usize; // [0, step)

    let mut sum = 0_i32;
    let mut i = first;
    while i + (LOADS - 1) * step < groups.len() {
        let mut loaded = [Int4::default(); LOADS];
        for k in 0..LOADS {
            unroll(LOADS);
            // SAFETY: the last of the four groups is one of them. No check between the loads, so that all are under way
            // before the first is added
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

/// Whether this block is the last of the grid to come here; what the others have stored before is then to be seen. All
/// threads must call, after a barrier behind the block's own store.
#[inline(always)]
fn is_last_block(arrived: Global<u32>) -> bool {
    // SAFETY: threads meet between the writing of the element and its reading
    let is_last = unsafe { shared!([u8; 1]) };
    if thread_idx().x == 0 {
        // the sum before the count: who sees the count sees the sum
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
    // SAFETY: n elements, which nobody writes: groups of four, and those past them
    let (groups, past) =
        unsafe { (from_raw_parts(data.cast::<Int4>(), n / 4), from_raw_parts(data.wrapping_add(n / 4 * 4), n % 4)) };
    // SAFETY: an element for each block, which its thread 0 writes, and which the last block reads behind a fence
    let partials = unsafe { Global::new(partials, grid_dim().x as usize) };
    // SAFETY: blocks count in the one, and the last of them writes both
    let (arrived, total) = unsafe { (Global::new(arrived, 1), Global::new(total, 1)) };
    // SAFETY: threads meet between writing an element and reading it
    let warp_sums = unsafe { shared!([i32; WARP]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let own = block_sum::<BLOCK>(own_share::<BLOCK>(groups, past), warp_sums);
    if t == 0 {
        partials.set(block_idx().x as usize, own);
    }
    if !is_last_block(arrived) {
        return;
    }

    // from L2, where the other multiprocessors have stored: an L1 might keep older values
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
