// scanInclusive in Rust; 08_scan_inclusive.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use device::{
    ALL_LANES, Float4, Global, Input, Shared, WARP, any, ballot, launch_bounds, resident_blocks, shared, shuffle,
    shuffle_xor, sync_threads, thread_idx, unroll,
};

const WIDTH: u32 = 4; // numbers in a group
const ROWS: usize = 16; // groups per thread
const THREADS: usize = 768; // at least so many are on a multiprocessor, with 85 registers each

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: f32) -> f32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value += before;
        }
    }
    value
}

/// Returns the sum over the lanes before this one, given that up to each. All 32 lanes must call it.
#[inline(always)]
fn before_lane(up_to_lane: f32) -> f32 {
    let lane = thread_idx().x % WARP;
    let before = shuffle(ALL_LANES, up_to_lane, lane.wrapping_sub(1));
    if lane == 0 { 0.0 } else { before }
}

/// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
#[inline(always)]
fn warp_sum(mut value: f32) -> f32 {
    for mask in [16, 8, 4, 2, 1] {
        value += shuffle_xor(ALL_LANES, value, mask);
    }
    value
}

fn sum_of(group: Float4) -> f32 {
    group.x + group.y + group.z + group.w
}

/// Returns the sums up to each number of a group, given the sum before the group.
fn scan_group(before: f32, group: Float4) -> Float4 {
    let first = before + group.x;
    let second = first + group.y;
    let third = second + group.z;
    Float4 { x: first, y: second, z: third, w: third + group.w }
}

/// Replaces the sums of all warps' rows by the sums before them in the slice, and returns the sum of the slice in all lanes. The
/// first warp must call it; a lane has EACH of them.
#[inline(always)]
fn scan_warp_sums<const EACH: usize>(warp_sums: Shared<f32>) -> f32 {
    let own = EACH as u32 * thread_idx().x;
    let mut before = [0.0; EACH];
    let mut sum = 0.0;
    for k in 0..EACH {
        unroll(EACH);
        before[k] = sum;
        sum += warp_sums.get(own + k as u32);
    }
    let up_to_lane = warp_scan(sum);
    let before_own = before_lane(up_to_lane);
    for k in 0..EACH {
        unroll(EACH);
        warp_sums.set(own + k as u32, before_own + before[k]);
    }
    shuffle(ALL_LANES, up_to_lane, WARP - 1)
}

// The state of a slice, in the upper half of its word. The lower half is the sum, and both are stored by one instruction:
// so who sees the state has the sum, and no order of other accesses is needed.
const UNKNOWN: u32 = 0; // no sum yet
const OF_SLICE: u32 = 1; // the sum of the slice
const OF_ALL: u32 = 2; // the sum of all numbers up to the end of the slice

fn make_word(state: u32, sum: f32) -> u64 {
    u64::from(state) << 32 | u64::from(sum.to_bits())
}

fn state_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// Returns the word at an index.
///
/// # Safety
/// It must exist during the launch, and all threads must access it atomically.
unsafe fn word_at<'a>(words: *mut u64, index: u32) -> &'a AtomicU64 {
    // SAFETY: the caller's promise
    unsafe { AtomicU64::from_ptr(words.add(index as usize)) }
}

/// Returns the sum of all numbers before a slice with this sum, in all lanes, and publishes both. The first warp must call it.
///
/// # Safety
/// `words` are those of the slices, see [`word_at`].
#[inline(always)]
unsafe fn look_back(words: *mut u64, slice: u32, sum: f32) -> f32 {
    // SAFETY: the caller's promise, for this slice and those before it
    let word_of = |slice: u32| unsafe { word_at(words, slice) };
    let lane = thread_idx().x;
    let mut before = 0.0;
    if lane == 0 && slice > 0 {
        word_of(slice).store(make_word(OF_SLICE, sum), Relaxed);
    }
    let mut last = slice as i32 - 1;
    while last >= 0 {
        let word = loop {
            // before the first slice is nothing
            let of = last - lane as i32;
            let word = if of >= 0 { word_of(of as u32).load(Relaxed) } else { make_word(OF_ALL, 0.0) };
            if !any(ALL_LANES, state_of(word) == UNKNOWN) {
                break word;
            }
        };
        let known = ballot(ALL_LANES, state_of(word) == OF_ALL);
        // lane 0 has the nearest slice; those behind the first that is known are part of its sum
        let nearest = if known == 0 { WARP - 1 } else { known.trailing_zeros() };
        before += warp_sum(if lane <= nearest { f32::from_bits(word as u32) } else { 0.0 });
        if known != 0 {
            break;
        }
        last -= WARP as i32;
    }
    if lane == 0 {
        word_of(slice).store(make_word(OF_ALL, before + sum), Relaxed);
    }
    before
}

/// `COUNT` is the number of warps' rows, and `EACH` that of a lane.
#[inline(always)]
unsafe fn scan_inclusive<const BLOCK: usize, const COUNT: usize, const EACH: usize>(
    numbers: *const Float4,
    sums: *mut Float4,
    words: *mut u64,
    n: u32,
) {
    const { assert!(COUNT == ROWS * BLOCK / WARP as usize && COUNT == EACH * WARP as usize) };
    let groups = n.div_ceil(WIDTH);
    // SAFETY: the arrays have n numbers, filled up to whole groups; no thread writes the numbers, and one writes each sum
    let (numbers, sums) = unsafe { (Input::new(numbers, groups), Global::new(sums, groups)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([f32; COUNT]) }; // row by row
    // SAFETY: likewise
    let (taken, all_before) = unsafe { (shared!([u32; 1]), shared!([f32; 1])) };
    let (block, warps) = (BLOCK as u32, BLOCK as u32 / WARP);
    let t = thread_idx().x; // [0, BLOCK)
    // blocks may start in any order; the slices of those that have started are taken from the first on
    if t == 0 {
        // SAFETY: there is a word for all blocks before those of the slices, and all threads access it atomically
        taken.set(0, unsafe { word_at(words, 0) }.fetch_add(1, Relaxed) as u32);
    }
    sync_threads();
    let slice = taken.get(0); // [0, grid)
    let first = slice * ROWS as u32 * block + t;

    let mut own = [Float4 { x: 0.0, y: 0.0, z: 0.0, w: 0.0 }; ROWS];
    for row in 0..ROWS {
        unroll(ROWS);
        let group = first + row as u32 * block;
        if group < groups {
            own[row] = numbers[group];
        }
    }
    for row in 0..ROWS {
        unroll(ROWS);
        let up_to_lane = warp_scan(sum_of(own[row]));
        if t % WARP == WARP - 1 {
            warp_sums.set(row as u32 * warps + t / WARP, up_to_lane);
        }
        own[row] = scan_group(before_lane(up_to_lane), own[row]);
    }
    // the first warp reads the sums of all
    sync_threads();
    if t < WARP {
        let sum = scan_warp_sums::<EACH>(warp_sums);
        // SAFETY: there is a word for each slice
        let sum_before = unsafe { look_back(words.add(1), slice, sum) };
        if t == 0 {
            all_before.set(0, sum_before);
        }
    }
    // every warp reads the sums before the slice, and before its rows in it
    sync_threads();

    let before_slice = all_before.get(0);
    for row in 0..ROWS {
        unroll(ROWS);
        let group = first + row as u32 * block;
        if group < groups {
            let before_row = before_slice + warp_sums.get(row as u32 * warps + t / WARP);
            let Float4 { x, y, z, w } = own[row];
            let [x, y, z, w] = [x, y, z, w].map(|in_row| before_row + in_row);
            sums.set(group, Float4 { x, y, z, w });
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanInclusive_128(
    numbers: *const Float4,
    sums: *mut Float4,
    words: *mut u64,
    n: u32,
) {
    launch_bounds(128);
    resident_blocks(THREADS / 128);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_inclusive::<128, 64, 2>(numbers, sums, words, n) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanInclusive_256(
    numbers: *const Float4,
    sums: *mut Float4,
    words: *mut u64,
    n: u32,
) {
    launch_bounds(256);
    resident_blocks(THREADS / 256);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_inclusive::<256, 128, 4>(numbers, sums, words, n) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanInclusive_512(
    numbers: *const Float4,
    sums: *mut Float4,
    words: *mut u64,
    n: u32,
) {
    launch_bounds(512);
    resident_blocks(THREADS / 512);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_inclusive::<512, 256, 8>(numbers, sums, words, n) }
}
