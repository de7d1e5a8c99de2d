// sortHistograms in Rust; 26_sort_histograms.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use device::{
    ALL_LANES, Global, Input, Int4, Shared, WARP, block_idx, dynamic_shared, grid_dim, launch_bounds, shared, shuffle,
    sync_threads, thread_fence, thread_idx, unroll,
};

const BLOCK: u32 = 1024; // a thread for each digit of each pass
const PASSES: u32 = 4;
const BINS: u32 = 256;
const COPIES: u32 = 16;
const WIDTH: u32 = 4; // keys per load

/// Counts the four digits of a key. Other threads add to `own` at the same time.
#[inline(always)]
fn count_key(own: Shared<u32>, key: u32) {
    for pass in 0..PASSES {
        unroll(PASSES as usize);
        own.fetch_add((pass * BINS + (key >> (8 * pass) & 0xff)) * COPIES, 1);
    }
}

#[inline(always)]
fn count(own: Shared<u32>, group: Int4) {
    for key in [group.x, group.y, group.z, group.w] {
        count_key(own, key.cast_unsigned());
    }
}

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

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sortHistograms(keys: *const u32, starts: *mut u32, done: *mut u32, n: u32) {
    launch_bounds(BLOCK as usize);
    // SAFETY: there are n keys, and no thread writes them
    let (groups, keys) = unsafe { (Input::new(keys.cast::<Int4>(), n / WIDTH), Input::new(keys, n)) };
    // SAFETY: there is a start for each digit of each pass; threads add to them atomically, and the block that is done last uses
    // them after fences
    let starts = unsafe { Global::new(starts, PASSES * BINS) };
    // SAFETY: threads add to it atomically
    let done = unsafe { Global::new(done, 1) };
    // SAFETY: the launch has so much; threads add to the elements atomically, and barriers separate that from other accesses
    let copies: Shared<u32> = unsafe { dynamic_shared(PASSES * BINS * COPIES) };
    // SAFETY: barriers separate the writes of an element from reads by other threads
    let (sums, is_last) = unsafe { (shared!([u32; (BLOCK / WARP) as usize]), shared!([bool; 1])) };
    let t = thread_idx().x; // [0, BLOCK)
    let mut b = t;
    while b < PASSES * BINS * COPIES {
        copies.set(b, 0);
        b += BLOCK;
    }
    // the threads of all warps add to these bins
    sync_threads();

    let own = copies.part(t % COPIES, PASSES * BINS * COPIES - t % COPIES);
    let step = grid_dim().x * BLOCK;
    let first = block_idx().x * BLOCK + t; // [0, step)
    let mut i = first;
    while i + step < n / WIDTH {
        let (one, other) = (groups[i], groups[i + step]);
        count(own, one);
        count(own, other);
        i += 2 * step;
    }
    if i < n / WIDTH {
        count(own, groups[i]);
    }
    // the keys past the last whole group, which are fewer than the threads
    let past = n / WIDTH * WIDTH + first;
    if past < n {
        count_key(own, keys[past]);
    }

    // the copies contain the additions of all threads
    sync_threads();
    let mut sum = 0;
    for k in 0..COPIES {
        unroll(COPIES as usize);
        sum += copies.get(t * COPIES + (k + t) % COPIES);
    }
    starts.fetch_add(t, sum);
    // whoever sees that this block is done sees its additions
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
    let occurs = starts.get(t);
    let up_to_lane = warp_scan(occurs);
    if t % WARP == WARP - 1 {
        sums.set(t / WARP, up_to_lane);
    }
    // each warp reads the sums of those before it with digits of the same pass
    sync_threads();
    let mut start = up_to_lane - occurs;
    const WARPS: u32 = BINS / WARP; // of a pass
    let warp = t / WARP % WARPS;
    for w in 0..WARPS - 1 {
        unroll(WARPS as usize);
        start += if w < warp { sums.get(t / BINS * WARPS + w) } else { 0 };
    }
    starts.set(t, start);
}
