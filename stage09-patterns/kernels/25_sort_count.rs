// sortCount in Rust; 25_sort_count.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, WARP, block_idx, grid_dim, launch_bounds, shared, shuffle, sync_threads, thread_fence,
    thread_idx, unroll,
};

const BLOCK: u32 = 1024;
const WARPS: u32 = BLOCK / WARP;
const TILE: u32 = 4096;
const ROWS: usize = (TILE / BLOCK) as usize;
const MOST_BINS: usize = 16;
const EACH: usize = 8; // counts per thread in a round of the scan

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value += before;
        }
    }
    value
}

/// Replaces each value by the sum of all before it. There is room for a multiple of `EACH` values, and those behind the last one are
/// overwritten. All threads of the block must call it.
#[inline(always)]
fn block_scan(values: Global<u32>, count: u32) {
    // SAFETY: barriers separate the writes of an element from accesses by other threads
    let sums = unsafe { shared!([u32; WARPS as usize]) }; // of the warps up to each
    let (lane, warp) = (thread_idx().x % WARP, thread_idx().x / WARP);
    let mut before = 0; // the sum of all rounds before
    let mut round = 0;
    while round < count {
        unroll(1);
        let first = round + thread_idx().x * EACH as u32;
        let mut own = [0; EACH];
        let mut sum = 0;
        for k in 0..EACH {
            unroll(EACH);
            own[k] = if first < count { values.get(first + k as u32) } else { 0 };
            sum += own[k];
        }
        let up_to_lane = warp_scan(sum);
        if lane == WARP - 1 {
            sums.set(warp, up_to_lane);
        }
        // the first warp reads the sums of all
        sync_threads();
        if warp == 0 {
            sums.set(lane, warp_scan(sums.get(lane)));
        }
        // every warp reads the sum up to the one before it, and up to the last one
        sync_threads();
        let mut prefix = before + up_to_lane - sum + if warp > 0 { sums.get(warp - 1) } else { 0 };
        for k in 0..EACH {
            unroll(EACH);
            if first < count {
                values.set(first + k as u32, prefix);
            }
            prefix += own[k];
        }
        before += sums.get(WARPS - 1);
        // all have read the sums, which the next round overwrites
        sync_threads();
        round += BLOCK * EACH as u32;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortCount(
    keys: *const u32,
    starts: *mut u32,
    done: *mut u32,
    n: u32,
    shift: u32,
    bits: u32,
) {
    launch_bounds(BLOCK as usize);
    let bin_count = 1 << bits;
    // SAFETY: there are n keys, which no thread writes
    let keys = unsafe { Input::new(keys, n) };
    // SAFETY: there is a start for each digit and tile; the block that is done last uses those of others, after fences
    let starts = unsafe { Global::new(starts, (bin_count * grid_dim().x).next_multiple_of(EACH as u32)) };
    // SAFETY: the threads that use it add to it atomically, but for the last one
    let done = unsafe { Global::new(done, 1) };
    // SAFETY: barriers separate the writes of an element from other accesses, but for additions, which are atomic
    let (bins, is_last) = unsafe { (shared!([u32; MOST_BINS]), shared!([bool; 1])) };
    let t = thread_idx().x; // [0, BLOCK)
    if t < bin_count {
        bins.set(t, 0);
    }
    // all threads count
    sync_threads();
    for row in 0..ROWS {
        unroll(ROWS);
        let i = block_idx().x * TILE + row as u32 * BLOCK + t;
        if i < n {
            bins.fetch_add(keys[i] >> shift & (bin_count - 1), 1);
        }
    }
    // the bins contain the counts of all threads
    sync_threads();
    if t < bin_count {
        starts.set(t * grid_dim().x + block_idx().x, bins.get(t));
    }
    // whoever sees that this block is done sees its counts
    thread_fence();
    sync_threads();
    if t == 0 {
        is_last.set(0, done.fetch_add(0, 1) == grid_dim().x - 1);
    }
    // every thread reads whether the block is the last one
    sync_threads();
    if !is_last.get(0) {
        return;
    }
    thread_fence();
    block_scan(starts, bin_count * grid_dim().x);
    if t == 0 {
        done.set(0, 0);
    }
}
