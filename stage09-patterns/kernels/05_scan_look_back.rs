// scanLookBack in Rust; 05_scan_look_back.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use device::{
    ALL_LANES, Global, Input, Int4, Shared, WARP, any, ballot, launch_bounds, resident_blocks, shared, shuffle,
    shuffle_xor, sync_threads, thread_idx, unroll,
};

const WIDTH: u32 = 4; // numbers in a group
const ROWS: usize = 16; // groups per thread
const THREADS: usize = 768; // at least so many are on a multiprocessor, with 85 registers each

/// Returns the sum of `value` over the lanes up to this one. All 32 lanes must call it.
#[inline(always)]
fn warp_scan(mut value: u32) -> u32 {
    let lane = thread_idx().x % WARP;
    for apart in [1, 2, 4, 8, 16] {
        let before = shuffle(ALL_LANES, value, lane.wrapping_sub(apart));
        if lane >= apart {
            value = value.wrapping_add(before);
        }
    }
    value
}

/// Returns the sum of `value` over the warp, in all lanes. All 32 lanes must call it.
#[inline(always)]
fn warp_sum(mut value: u32) -> u32 {
    for mask in [16, 8, 4, 2, 1] {
        value = value.wrapping_add(shuffle_xor(ALL_LANES, value, mask));
    }
    value
}

fn sum_of(group: [u32; 4]) -> u32 {
    group[0].wrapping_add(group[1]).wrapping_add(group[2]).wrapping_add(group[3])
}

/// Returns the sums before each number of a group, given the sum before the group.
fn scan_group(before: u32, group: [u32; 4]) -> Int4 {
    let second = before.wrapping_add(group[0]);
    let third = second.wrapping_add(group[1]);
    let [x, y, z, w] = [before, second, third, third.wrapping_add(group[2])].map(u32::cast_signed);
    Int4 { x, y, z, w }
}

/// Replaces the sums of all warps' rows by the sums before them in the slice, and returns the sum of the slice in all lanes. The
/// first warp must call it; a lane has EACH of them.
#[inline(always)]
fn scan_warp_sums<const EACH: usize>(warp_sums: Shared<u32>) -> u32 {
    let own = EACH as u32 * thread_idx().x;
    let mut before = [0; EACH];
    let mut sum = 0_u32;
    for k in 0..EACH {
        unroll(EACH);
        before[k] = sum;
        sum = sum.wrapping_add(warp_sums.get(own + k as u32));
    }
    let up_to_lane = warp_scan(sum);
    for k in 0..EACH {
        unroll(EACH);
        warp_sums.set(own + k as u32, up_to_lane.wrapping_sub(sum).wrapping_add(before[k]));
    }
    shuffle(ALL_LANES, up_to_lane, WARP - 1)
}

// The state of a slice, in the upper half of its word. The lower half is the sum, and both are stored by one instruction:
// so who sees the state has the sum, and no order of other accesses is needed.
const UNKNOWN: u32 = 0; // no sum yet
const OF_SLICE: u32 = 1; // the sum of the slice
const OF_ALL: u32 = 2; // the sum of all numbers up to the end of the slice

fn make_word(state: u32, sum: u32) -> u64 {
    u64::from(state) << 32 | u64::from(sum)
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
unsafe fn look_back(words: *mut u64, slice: u32, sum: u32) -> u32 {
    // SAFETY: the caller's promise, for this slice and those before it
    let word_of = |slice: u32| unsafe { word_at(words, slice) };
    let lane = thread_idx().x;
    let mut before = 0_u32;
    if lane == 0 && slice > 0 {
        word_of(slice).store(make_word(OF_SLICE, sum), Relaxed);
    }
    let mut last = slice as i32 - 1;
    while last >= 0 {
        let word = loop {
            // before the first slice is nothing
            let of = last - lane as i32;
            let word = if of >= 0 { word_of(of as u32).load(Relaxed) } else { make_word(OF_ALL, 0) };
            if !any(ALL_LANES, state_of(word) == UNKNOWN) {
                break word;
            }
        };
        let known = ballot(ALL_LANES, state_of(word) == OF_ALL);
        // lane 0 has the nearest slice; those behind the first that is known are part of its sum
        let nearest = if known == 0 { WARP - 1 } else { known.trailing_zeros() };
        before = before.wrapping_add(warp_sum(if lane <= nearest { word as u32 } else { 0 }));
        if known != 0 {
            break;
        }
        last -= WARP as i32;
    }
    if lane == 0 {
        word_of(slice).store(make_word(OF_ALL, before.wrapping_add(sum)), Relaxed);
    }
    before
}

/// `COUNT` is the number of warps' rows, and `EACH` that of a lane.
#[inline(always)]
unsafe fn scan_look_back<const BLOCK: usize, const COUNT: usize, const EACH: usize>(
    numbers: *const Int4,
    prefixes: *mut Int4,
    words: *mut u64,
    n: u32,
) {
    const { assert!(COUNT == ROWS * BLOCK / WARP as usize && COUNT == EACH * WARP as usize) };
    let groups = n.div_ceil(WIDTH);
    // SAFETY: the arrays have n numbers, filled up to whole groups; no thread writes the numbers, and one writes each prefix
    let (numbers, prefixes) = unsafe { (Input::new(numbers, groups), Global::new(prefixes, groups)) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let warp_sums = unsafe { shared!([u32; COUNT]) }; // row by row
    // SAFETY: likewise
    let (taken, all_before) = unsafe { (shared!([u32; 1]), shared!([u32; 1])) };
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

    let mut own = [[0_u32; 4]; ROWS];
    for row in 0..ROWS {
        unroll(ROWS);
        let group = first + row as u32 * block;
        if group < groups {
            let Int4 { x, y, z, w } = numbers[group];
            own[row] = [x, y, z, w].map(i32::cast_unsigned);
        }
    }
    let mut before = [0; ROWS]; // the sum of the lanes before this one
    for row in 0..ROWS {
        unroll(ROWS);
        let sum = warp_scan(sum_of(own[row]));
        if t % WARP == WARP - 1 {
            warp_sums.set(row as u32 * warps + t / WARP, sum);
        }
        before[row] = sum.wrapping_sub(sum_of(own[row]));
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
            let in_slice = warp_sums.get(row as u32 * warps + t / WARP).wrapping_add(before[row]);
            let before_lane = before_slice.wrapping_add(in_slice);
            prefixes.set(group, scan_group(before_lane, own[row]));
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanLookBack_128(numbers: *const Int4, prefixes: *mut Int4, words: *mut u64, n: u32) {
    launch_bounds(128);
    resident_blocks(THREADS / 128);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_look_back::<128, 64, 2>(numbers, prefixes, words, n) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanLookBack_256(numbers: *const Int4, prefixes: *mut Int4, words: *mut u64, n: u32) {
    launch_bounds(256);
    resident_blocks(THREADS / 256);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_look_back::<256, 128, 4>(numbers, prefixes, words, n) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scanLookBack_512(numbers: *const Int4, prefixes: *mut Int4, words: *mut u64, n: u32) {
    launch_bounds(512);
    resident_blocks(THREADS / 512);
    // SAFETY: the launch meets the function's requirements
    unsafe { scan_look_back::<512, 256, 8>(numbers, prefixes, words, n) }
}
